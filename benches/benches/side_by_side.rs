//! The cases of `idgen-bench` under criterion: `cargo bench -p idgen-bench -- "base64 decode"`.
//!
//! Criterion runs one case after the other and keeps a history of each. The table in docs/speed.md comes from the
//! interleaving runner instead, because ratios need measurements from the same time.

use criterion::{Criterion, Throughput};
use idgen_bench::SECTIONS;
use idgen_bench::case::IDS;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for group in SECTIONS.iter().flat_map(|section| (section.groups)()) {
        let mut criterion_group = criterion.benchmark_group(group.name);
        criterion_group.throughput(Throughput::Elements(IDS as u64));
        for mut case in group.cases {
            (case.check)().expect("the case gives the right result");
            criterion_group.bench_function(case.name, |bencher| bencher.iter(&mut case.pass));
        }
        criterion_group.finish();
    }
    criterion.final_summary();
}
