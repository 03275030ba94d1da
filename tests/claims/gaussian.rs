use ebflow::claim::gaussian::{CovarianceEquation, DiracHittingTime, HittingTime, RecoveryRate};
use ebflow::claim::{Claim, Record};
use ebflow::study::Preset;

fn show(claim: &dyn Claim) {
    let start = std::time::Instant::now();
    let record = Record::gather(claim, Preset::Quick);
    println!("\n== {} {:?} in {:?}", record.card.id, record.verdict, start.elapsed());
    for row in &record.rows {
        println!(
            "{:9} {:6.3} m={:.10e} ±{:.1e} s{:.1e}  p={:.10e} ±{:.1e} {} {}",
            format!("{:?}", row.role),
            row.margin(),
            row.measured.value,
            row.measured.numerical,
            row.measured.sampling,
            row.predicted.value,
            row.predicted.numerical,
            if row.is_blurred() { "BLUR" } else { "" },
            row.name()
        );
    }
}
#[test]
fn a() {
    show(&CovarianceEquation::default())
}
#[test]
fn b() {
    show(&RecoveryRate::default())
}
#[test]
fn c() {
    show(&HittingTime::default())
}
#[test]
fn d() {
    show(&DiracHittingTime::default())
}
