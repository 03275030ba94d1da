<<<<<<< HEAD
<<<<<<< HEAD
//! What turns each claim.
=======
//! Claims: the shipped ones give the expected verdicts, and faulty parts turn them.

mod confine;
>>>>>>> claims-confine
=======
//! Claims give the verdicts that are expected of them, and turn when a part is at fault.

mod gaussian;
>>>>>>> claims-gauss
