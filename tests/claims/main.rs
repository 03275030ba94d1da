<<<<<<< HEAD
//! What turns each claim.
=======
//! Claims: the shipped ones give the expected verdicts, and faulty parts turn them.

mod confine;
>>>>>>> claims-confine
