//! The sections of a study, each read and checked on its own.

use sha2::{Digest, Sha256};

use super::{
    Axis, Band, Complaints, FitSpec, MeasureSpec, MethodSpec, Model, Node, Quantity, Reader, Setting, Spec,
    Sweep, Tolerances, Tree,
};
use crate::drift::{Named, Tolerance};
use crate::files::document::Diagnostic;
use crate::flow::Adaptive;
use crate::law::{Law, read_law};
use crate::scale::{BallRadius, Beta, NoiseVariance};
use crate::study::spec::cross_checks::{CrossChecks, MOST_CELLS};
use crate::study::spec::statements::statements;

/// Points of a path when the study does not say.
const DEPTHS: usize = 21;
/// Points of a path, and particles whose way is kept, at most: pages could not show more.
const MOST_KEPT: usize = 100_000;
/// The largest seed: JSON's numbers are exact up to here.
const MOST_SEED: usize = 1 << 53;

const MODELS: [(&str, Model); 2] = [("power", Model::Power), ("mixed", Model::Mixed)];

/// Reads a whole study; every complaint is collected.
pub(super) fn spec(tree: &Tree) -> Result<Spec, Vec<Diagnostic>> {
    let complaints = Complaints::default();
    let spec = whole(tree, &complaints);
    let complaints = complaints.into_inner();
    match spec {
        Some(spec) if complaints.is_empty() => Ok(spec),
        _ => Err(complaints),
    }
}

fn whole(tree: &Tree, complaints: &Complaints) -> Option<Spec> {
    let top = Reader::of(tree, "", complaints)?;
    let title = top.needed("title", "say what the study is called: title = \"…\"").and_then(|t| top.text(t));
    let prose = top.value("prose").map_or(Some(""), |t| top.text(t));
    let paper = top.value("paper").and_then(|t| top.text(t));
    let quantities = quantities(&top);
    let prior = top
        .needed("prior", "add a table [prior] with a law")
        .and_then(|t| read_law(t, "[prior]", complaints));
    let parameters = Parameters::read(&top, complaints);
    let drift = drift(&top, complaints);
    let measure = measure(&top, complaints);
    let fits = fits(&top, complaints);
    let stated = top.value("statement");
    top.finish();
    let (sweep, method) = (parameters?, drift?);
    let mut spec = Spec {
        title: title?.to_owned(),
        prose: prose?.trim().to_owned(),
        paper: paper.map(str::to_owned),
        quantities: quantities?,
        prior: prior.clone()?,
        base: sweep.base,
        method: MethodSpec { tolerances: sweep.tolerances, ..method },
        sweep: sweep.sweep,
        seeds: sweep.seeds,
        measure: measure?,
        fits: fits?,
        statements: Vec::new(),
        prior_table: identified(top_value(tree, "prior")?.plain(), prior.as_ref()?),
        effective: tree.plain(),
    };
    CrossChecks { spec: &spec, tree, complaints }.check();
    if let Some(stated) = stated {
        spec.statements = statements(stated, &spec, complaints)?;
    }
    Some(spec)
}

/// A prior as it is written, with what its files hold in place of their names: rows are determined by that.
fn identified(mut table: toml::Value, law: &Law) -> toml::Value {
    let (Some(entries), Law::Atoms(atoms)) = (table.as_table_mut(), law) else { return table };
    for (key, numbers) in [("file", atoms.points().concat()), ("weights", atoms.weights().to_vec())] {
        if let Some(name) = entries.get_mut(key).filter(|value| value.is_str()) {
            *name = toml::Value::String(digest(&numbers));
        }
    }
    table
}

/// Names numbers by their bits.
fn digest(numbers: &[f64]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn top_value<'a>(tree: &'a Tree, key: &str) -> Option<&'a Tree> {
    match &tree.node {
        Node::Table(table) => table.get(key).map(|entry| &entry.value),
        _ => None,
    }
}

fn quantities(top: &Reader<'_>) -> Option<Vec<Quantity>> {
    let names: Vec<(&str, Quantity)> = Quantity::ALL.iter().map(|q| (q.key(), *q)).collect();
    let tree = top.needed("quantities", "say what to measure: quantities = [\"w1_prior\"]")?;
    let mut found = Vec::new();
    for item in top.list(tree)? {
        let quantity = top.one_of(item, "quantity", &names)?;
        if found.contains(&quantity) {
            return top.refuse(item, "measured twice".into(), "name every quantity once".into());
        }
        found.push(quantity);
    }
    Some(found)
}

/// What is swept and what is fixed.
struct Parameters {
    base: Setting,
    tolerances: Option<Tolerances>,
    sweep: Vec<Sweep>,
    seeds: Vec<u64>,
}

impl Parameters {
    fn read(top: &Reader<'_>, complaints: &Complaints) -> Option<Self> {
        let section =
            |key, name| top.value(key).map_or(Some(None), |t| Reader::of(t, name, complaints).map(Some));
        let sweep = Reader::of(top.needed("sweep", SWEEP_HELP)?, "[sweep]", complaints);
        let (noise, flow) = (section("noise", "[noise]"), section("flow", "[flow]"));
        let (sweep, noise, flow) = (sweep?, noise?, flow?);
        let seeds = sweep.needed("seeds", "say how many, seeds = 8, or which, seeds = [1, 2, 3]");
        let seeds = seeds.and_then(|tree| seeds_of(&sweep, tree));
        let tolerances = flow.as_ref().map_or(Some(None), tolerances);
        let mut axes = Vec::new();
        for axis in Axis::ALL {
            let home = if axis == Axis::NoiseVar { (&noise, "variance") } else { (&flow, axis.key()) };
            axes.push(values(axis, &sweep, home.0.as_ref(), home.1));
        }
        let layered = sweep.entry("layers").or(flow.as_ref().and_then(|f| f.entry("layers")));
        let tolerances = tolerances?;
        if let (Some(layers), Some(_)) = (layered, tolerances) {
            let remedy = "give layers, or rtol and atol: layers have no tolerance";
            sweep.refuse::<()>(&layers.value, "layers beside tolerances".into(), remedy.into());
        }
        if layered.is_none() && tolerances.is_none() {
            let place = &top.needed("sweep", SWEEP_HELP)?.place;
            let title = "the study does not say how the flow is integrated";
            complaints.push(Diagnostic::new(title, place.clone()).help(FLOW_HELP));
        }
        for reader in [Some(sweep), noise, flow].into_iter().flatten() {
            reader.finish();
        }
        Self::assemble(axes.into_iter().collect::<Option<Vec<_>>>()?, tolerances, seeds?)
    }

    fn assemble(axes: Vec<Values>, tolerances: Option<Tolerances>, seeds: Vec<u64>) -> Option<Self> {
        let mut base = Setting { n: 1, beta: 1.0, noise_var: 1.0, radius: None, layers: None };
        let mut sweep = Vec::new();
        for Values { axis, values, swept } in axes {
            if let Some(&first) = values.first() {
                base.set(axis, first);
            }
            if swept {
                sweep.push(Sweep { axis, values });
            }
        }
        Some(Self { base, tolerances, sweep, seeds })
    }
}

const SWEEP_HELP: &str = "add a table [sweep] with lists of parameters and the seeds";
const FLOW_HELP: &str = "add rtol and atol to [flow] for an ODE, or layers for a network";

/// The values of one axis: several when swept, one when fixed, none when not in use.
struct Values {
    axis: Axis,
    values: Vec<f64>,
    swept: bool,
}

fn values(axis: Axis, sweep: &Reader<'_>, fixed: Option<&Reader<'_>>, key: &'static str) -> Option<Values> {
    let swept = sweep.value(axis.key());
    let fixed = fixed.and_then(|reader| reader.value(key).map(|tree| (reader, tree)));
    match (swept, fixed) {
        (Some(tree), Some(_)) => {
            sweep.refuse(tree, "given twice".into(), format!("it is also fixed as `{key}`; keep one of them"))
        }
        (Some(tree), None) => {
            let mut values = Vec::new();
            for item in sweep.list(tree)? {
                values.push(parameter(axis, sweep, item)?);
            }
            values.sort_by(f64::total_cmp);
            if values.windows(2).any(|pair| pair[0] == pair[1]) {
                return sweep.refuse(tree, "a value occurs twice".into(), "give every value once".into());
            }
            Some(Values { axis, values, swept: true })
        }
        (None, Some((reader, tree))) => {
            Some(Values { axis, values: vec![parameter(axis, reader, tree)?], swept: false })
        }
        (None, None) if matches!(axis, Axis::Radius | Axis::Layers) => {
            Some(Values { axis, values: Vec::new(), swept: false })
        }
        (None, None) => {
            let home =
                if axis == Axis::NoiseVar { "`variance` in [noise]" } else { "the same key in [flow]" };
            sweep.needed(axis.key(), &format!("sweep it here, or fix it with {home}"));
            None
        }
    }
}

/// One value of a parameter, checked by the type it will have.
fn parameter(axis: Axis, reader: &Reader<'_>, tree: &Tree) -> Option<f64> {
    match axis {
        Axis::N | Axis::Layers => reader.count(tree, 1).map(|count| count as f64),
        Axis::Radius => reader.checked(tree, BallRadius::new).map(BallRadius::get),
        Axis::Beta => reader.checked(tree, Beta::new).map(Beta::get),
        Axis::NoiseVar => reader.checked(tree, NoiseVariance::new).map(NoiseVariance::get),
    }
}

fn seeds_of(sweep: &Reader<'_>, tree: &Tree) -> Option<Vec<u64>> {
    let Node::List(list) = &tree.node else {
        return sweep.count_within(tree, 1..=MOST_CELLS).map(|count| (0..count as u64).collect());
    };
    let mut seeds = Vec::new();
    for item in list {
        seeds.push(sweep.count_within(item, 0..=MOST_SEED)? as u64);
    }
    seeds.sort_unstable();
    if seeds.is_empty() || seeds.windows(2).any(|pair| pair[0] == pair[1]) {
        return sweep.refuse(tree, "no seed, or one twice".into(), "give every seed once".into());
    }
    Some(seeds)
}

/// `rtol` and `atol`, which go together; neither has a default.
fn tolerances(flow: &Reader<'_>) -> Option<Option<Tolerances>> {
    let (rtol, atol) = (flow.value("rtol"), flow.value("atol"));
    let Some(given) = rtol.or(atol) else { return Some(None) };
    let (Some(rtol), Some(atol)) = (rtol, atol) else {
        return flow.refuse(given, "one tolerance alone".into(), "give both rtol and atol".into());
    };
    let pair = Tolerances { rtol: flow.number(rtol)?, atol: flow.number(atol)? };
    match Adaptive::new(pair.rtol, pair.atol) {
        Ok(_) => Some(Some(pair)),
        Err(error) => flow.refuse(given, "impossible value".into(), error.to_string()),
    }
}

fn drift(top: &Reader<'_>, complaints: &Complaints) -> Option<MethodSpec> {
    let mut method = MethodSpec { tolerances: None, drift: Named::Auto, eps: None };
    let Some(tree) = top.value("drift") else { return Some(method) };
    let reader = Reader::of(tree, "[drift]", complaints)?;
    if let Some(name) = reader.value("method") {
        method.drift = reader.one_of(name, "drift", &Named::ALL.map(|drift| (drift.name(), drift)))?;
    }
    if let Some(eps) = reader.value("eps") {
        method.eps = Some(reader.checked(eps, Tolerance::new)?.get());
        if method.drift == Named::Dense {
            let remedy = "take it out, or choose auto, blocks, kdtree or gauss";
            return reader.refuse(eps, "this drift has no tolerance".into(), remedy.into());
        }
    }
    reader.finish();
    Some(method)
}

fn measure(top: &Reader<'_>, complaints: &Complaints) -> Option<MeasureSpec> {
    let mut measure = MeasureSpec { sup_radius: None, depths: DEPTHS, cloud_points: None };
    let Some(tree) = top.value("measure") else { return Some(measure) };
    let reader = Reader::of(tree, "[measure]", complaints)?;
    if let Some(radius) = reader.value("sup_radius") {
        measure.sup_radius = Some(reader.checked(radius, BallRadius::new)?.get());
    }
    if let Some(depths) = reader.value("depths") {
        measure.depths = reader.count_within(depths, 2..=MOST_KEPT)?;
    }
    if let Some(points) = reader.value("cloud_points") {
        measure.cloud_points = Some(reader.count_within(points, 1..=MOST_KEPT)?);
    }
    reader.finish();
    Some(measure)
}

fn fits(top: &Reader<'_>, complaints: &Complaints) -> Option<Vec<FitSpec>> {
    let Some(tree) = top.value("fit") else { return Some(Vec::new()) };
    let Node::List(list) = &tree.node else {
        return top.refuse(tree, "not a list of tables".into(), "write every fit as a table [[fit]]".into());
    };
    list.iter().map(|tree| fit(tree, complaints)).collect()
}

fn fit(tree: &Tree, complaints: &Complaints) -> Option<FitSpec> {
    let reader = Reader::of(tree, "[[fit]]", complaints)?;
    let quantities: Vec<(&str, Quantity)> = Quantity::ALL.iter().map(|q| (q.key(), *q)).collect();
    let axes: Vec<(&str, Axis)> = Axis::ALL.iter().map(|a| (a.key(), *a)).collect();
    let quantity = reader.needed("quantity", "say what is fitted: quantity = \"w1_prior\"");
    let against = reader.needed("against", "say against which parameter: against = \"n\"");
    let model = reader.value("model").map_or(Some(Model::Power), |t| reader.one_of(t, "model", &MODELS));
    let expect = reader.value("expect").map_or(Some(None), |t| band(&reader, t).map(Some));
    let limit = |key| reader.value(key).map_or(Some(None), |t| reader.number(t).map(Some));
    let (from, to) = (limit("from"), limit("to"));
    let quantity = quantity.and_then(|t| reader.one_of(t, "quantity", &quantities));
    let against = against.and_then(|t| reader.one_of(t, "parameter", &axes));
    reader.finish();
    let (model, expect, from, to) = (model?, expect?, from?, to?);
    Some(FitSpec { quantity: quantity?, against: against?, model, expect, from, to })
}

fn band(reader: &Reader<'_>, tree: &Tree) -> Option<Band> {
    let ends: Option<Vec<f64>> = reader.list(tree)?.iter().map(|t| reader.number(t)).collect();
    match ends?[..] {
        [low, high] if low < high => Some(Band { low, high }),
        _ => reader.refuse(
            tree,
            "not a band".into(),
            "give two numbers, the lower first: expect = [-0.6, -0.4]".into(),
        ),
    }
}

impl FitSpec {
    /// True when a size takes part in the fit.
    pub fn covers(&self, size: f64) -> bool {
        self.from.is_none_or(|from| size >= from) && self.to.is_none_or(|to| size <= to)
    }
}
