//! `mock`: serves a document without code: requests are checked, and answers are the examples and samples of the document.

mod answer;
mod called;
mod declared;
mod examples;
mod ids;
mod paging;
mod places;
mod prefer;
mod resources;
mod service;
mod shape;
mod state;
mod tables;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use dropspec_codegen::{Settings, Unsupported};
use dropspec_gate::gate::{CompiledInterface, Reporting};
use dropspec_gate::logging::{Log, LogFormat, LogLevel, LogSettings};
use dropspec_gate::metrics::Metrics;
use dropspec_gate::rate_limit::{LimiterPolicy, MemoryLedger};
use dropspec_gate::server_name::ServerName;
use dropspec_gate::{BasePath, CorsOrigin, Gate, RequestPolicy};
use dropspec_model::Spec;
use dropspec_runtime::{Route, Routes};
use dropspec_service::{ConnectionLimits, Listener, parse_address};
use http::Method;

use self::answer::Answers;
use self::resources::Resources;
use self::service::{AnyCredentials, Mock, Mocked};
use self::state::State;
use self::tables::Tables;
use crate::check;
use crate::output::print;
use crate::project::Project;
use crate::repair;
use crate::sources::Selection;

/// The largest body that is decoded, in bytes, unless the document declares `x-max-body-bytes`.
const MAX_BODY: usize = 10 << 20;

/// Serve a document at once, without a compiler: checked requests, and answers by its examples and schemas
///
/// Requests are routed and validated as by the generated server, and errors look the same. An answer is the first example of the
/// document that fits its schema, or else a value made for the schema. Where the document demands credentials, any are valid;
/// where it has limits, those of its largest plan apply. `/docs` is the reference page.
///
/// The header `Prefer` asks for another answer: `Prefer: code=404`, `Prefer: example=NAME`, or both.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  mock api.yaml
  mock api.yaml --stateful                 what was created can be read, listed, replaced, changed and deleted
  mock https://example.com/openapi.json --listen 127.0.0.1:0
  curl -H 'Prefer: code=404' http://127.0.0.1:8080/pets/7

Exit codes: 0 it was stopped, 1 an answer is missing (--check), 2 the document cannot be used, or the address not served.")]
pub struct Arguments {
    /// The OpenAPI document, YAML or JSON: a file, a URL, or `-`; that of dropspec.toml if absent
    #[arg(value_name = "FILE")]
    document: Option<String>,

    /// The address to listen on; with port 0 a free one
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = parse_address
    )]
    listen: SocketAddr,

    /// The path below which everything is served, such as /v1
    #[arg(long, value_name = "PATH", default_value = "/")]
    base_path: BasePath,

    /// Serve nothing; fail if an answer cannot be made, or does not fit the document
    #[arg(long, conflicts_with = "stateful")]
    check: bool,

    /// Keep in memory what requests create, where paths and schemas show which operations belong together
    #[arg(long)]
    stateful: bool,
}

/// Runs `mock` until it is stopped.
///
/// # Errors
/// The document cannot be used, or the address not served.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    read(arguments.document.as_deref())?;
    let answers = Arc::new(Answers::default());
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    if arguments.check {
        // Streams of items have a timer.
        let _entered = runtime.enter();
        let served =
            (0..Tables::operations().len()).filter(|it| Tables::operations()[*it].generated);
        let problems: Vec<String> = served.flat_map(|it| answers.check(it)).collect();
        problems.iter().for_each(crate::output::print_error);
        return Ok(ExitCode::from(u8::from(!problems.is_empty())));
    }
    let mut notes = String::new();
    let state = arguments.stateful.then(|| {
        let sample = |operation| answers.json_of_success(operation, None);
        let resources = Resources::find(Tables::operations(), sample);
        for it in &resources.all {
            notes += &format!("kept: {} by `{}` in {}\n", it.collection, it.id, it.path);
        }
        for (path, reason) in &resources.unclear {
            notes += &format!("not kept: {path}: {reason}\n");
        }
        State::new(resources, Arc::clone(&answers))
    });
    for (media_type, (count, first)) in answers.written_as_json() {
        notes += &format!(
            "written as JSON: {media_type}, as in {first} (responses: {count}): an example that is a text is sent as it is\n"
        );
    }
    runtime.block_on(serve(arguments, Mock { answers, state }, notes))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the document, and says which operations cannot be served.
fn read(name: Option<&str>) -> anyhow::Result<()> {
    let project = Project::find_for(name)?;
    let selection = match name {
        Some(name) => Selection::find(name)?,
        None => Selection::file(project.document_path()),
    };
    let Selection::Document(source) = selection else {
        anyhow::bail!("a folder is no document: name a file");
    };
    let bundled = project.bundle_source(&source).map_err(check::refused)?;
    let text = bundled.text().to_string();
    let spec = Spec::read_with_errors(Arc::new(bundled.document)).map_err(check::refused)?;
    let settings = Settings {
        partial: true,
        ..Settings::default()
    };
    let left_out = Tables::read(&spec, text, &settings).map_err(check::refused)?;
    for Unsupported {
        operation,
        problems,
        is_answered,
    } in &left_out
    {
        let warning = problems.first().map(check::warning_text);
        let warning = warning.unwrap_or_default();
        let answer = if *is_answered {
            "answered with 501"
        } else {
            "not served, as if it were not declared"
        };
        crate::output::print_error(format_args!("{warning}\n  so `{operation}` is {answer}"));
    }
    if !left_out.is_empty() {
        let help = repair::help(&project, &spec.source);
        help.iter().for_each(crate::output::print_error);
    }
    let is_served = Tables::operations().iter().any(|it| it.generated);
    anyhow::ensure!(
        is_served || left_out.is_empty(),
        "no operation can be served"
    );
    Ok(())
}

async fn serve(arguments: &Arguments, mock: Mock, notes: String) -> anyhow::Result<()> {
    let interface = CompiledInterface::<Mocked>::new("mock", &arguments.base_path)?;
    let metrics = Metrics::default();
    let server_name = ServerName::of_process(arguments.listen);
    let settings = LogSettings {
        format: LogFormat::Terminal,
        level: LogLevel::Info,
        path: true,
        ..LogSettings::SILENT
    };
    let log = Log::to_standard_error(settings, &server_name, metrics.dropped_log_lines.clone())
        .context("cannot start the thread of the log")?;
    let policy = RequestPolicy {
        base_path: arguments.base_path.clone(),
        cors_origins: vec![CorsOrigin::Any],
        max_body: MAX_BODY,
        limits: Tables::get().anonymous.map(LimiterPolicy::new),
        ..RequestPolicy::default()
    };
    let reporting = Reporting {
        server_name,
        metrics,
        log,
        traces: None,
    };
    let ledger = Arc::new(MemoryLedger::default());
    let gate = Arc::new(Gate::new(
        policy,
        interface,
        mock,
        Arc::new(AnyCredentials),
        ledger,
        reporting,
    ));
    let limits = ConnectionLimits::default();
    let listener = Listener::start(arguments.listen, None, limits, Vec::new(), &gate);
    let mut listener = listener.context("choose another address with --listen")?;
    let url = format!("http://{}{}", listener.address(), arguments.base_path);
    let operations = Tables::operations()
        .iter()
        .filter(|it| it.generated)
        .count();
    let routes = Routes::new(Tables::operations())?;
    // An operation of the document takes the place of the page.
    let page = match routes.find(&Method::GET, "/docs") {
        Route::NotFound => format!("reference page: {url}/docs\n"),
        _ => String::new(),
    };
    print(format_args!(
        "{notes}{operations} operations at {url}\n{page}"
    ))?;
    tokio::signal::ctrl_c()
        .await
        .context("cannot wait for Ctrl-C")?;
    gate.begin_stop();
    listener.stop().await;
    Ok(())
}
