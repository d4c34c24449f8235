//! Help, and requests as commands of curl.

use dropspec_cli::{Interface, command};

use crate::server::Server;
use crate::{run, settings};

const PETS: &str = "
openapi: 3.0.3
info: {title: Petstore, version: 1.0.0}
servers: [{url: 'https://{host}/v1', variables: {host: {default: example.com}}}]
security: [{Key: []}]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [Pets]
      summary: List pets
      description: |
        In the order
        of their ids.
      parameters:
        - {name: limit, in: query, description: How many., schema: {type: integer, minimum: 1, maximum: 100, default: 20}}
        - {name: status, in: query, schema: {type: array, items: {type: string, enum: [available, sold]}}}
        - {name: url, in: query, schema: {type: string, format: uri}}
      responses: {'200': {description: They.}}
    post:
      operationId: createPet
      tags: [Pets]
      deprecated: true
      summary: Create a pet
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'201': {description: It.}}
  /health:
    get: {security: [], description: Is it up?, responses: {'204': {description: Yes.}}}
components: {securitySchemes: {Key: {type: apiKey, in: header, name: X-Key, description: Yours.}}}
";

fn help(name: Option<&str>) -> String {
    let interface = Interface::read(PETS, settings()).unwrap();
    let mut command = command(&interface);
    command.build();
    let command = match name {
        Some(name) => command.find_subcommand_mut(name).unwrap(),
        None => &mut command,
    };
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    lines.join("\n")
}

#[test]
fn help_lists_commands_by_tag() {
    let help = help(None);
    let (own, options) = help.split_once("\n\nOptions:\n").unwrap();
    insta::assert_snapshot!(own, @r"
    Command line of Petstore: one command for each operation

    Usage: pets [OPTIONS] <COMMAND>

    Pets:
      list-pets    List pets
      create-pet   Create a pet (deprecated: it may be removed)

    Commands:
      get-health   Is it up?

    More:
      tail         Show the requests of your key as the service answers them, until Ctrl-C
      completions  Print shell completions
      man          Print the manual page, or write the pages of all commands
      help         Show the options of a command: `help COMMAND`

    Examples:
      pets list-pets
      pets list-pets --output json
      pets list-pets --curl

    Exit codes:
      0  success
      1  the service returned an error; the message says why
      2  the command is wrong: an argument, a file, the credentials, or the URL
      3  no response, or one that cannot be read
    ");
    let lines: Vec<&str> = options.lines().collect();
    let of_the_key = lines
        .iter()
        .position(|line| line.contains("--auth-key <KEY>"));
    let of_the_key = &lines[of_the_key.unwrap() + 1..][..3];
    let text = "Yours; prefer the environment variable, which the process list does not show";
    let of_the_key: Vec<&str> = of_the_key.iter().map(|line| line.trim()).collect();
    assert_eq!(of_the_key, [text, "", "[env: SPEC_CLI_TEST_KEY]"]);
    assert!(
        options.contains("; the document names https://example.com/v1\n"),
        "{options}"
    );
}

#[test]
fn help_of_a_command_has_types_defaults_and_choices() {
    let help = help(Some("list-pets"));
    let (own, shared) = help.split_once("\n\nService:\n").unwrap();
    assert!(shared.ends_with("\n\nRequest: GET /pets"), "{shared}");
    insta::assert_snapshot!(own, @r"
    List pets

    In the order of their ids.

    Usage: pets list-pets [OPTIONS]

    Options:
          --limit <INTEGER>
              How many. [at least 1, at most 100, default: 20]

          --status <TEXT>
              [can be repeated]

              [possible values: available, sold]

          --url-query <URI>


      -h, --help
              Print help (see a summary with '-h')
    ");
}

#[test]
fn url_of_the_settings_is_the_default_and_not_a_server_of_the_document() {
    let settings = dropspec_cli::Settings {
        default_url: Some("http://127.0.0.1:8080".to_owned()),
        ..settings()
    };
    let interface = Interface::read(PETS, settings).unwrap();
    let help = command(&interface).render_long_help().to_string();
    assert!(help.contains("[default: http://127.0.0.1:8080]"), "{help}");
}

#[test]
fn names_without_operation_id_are_made_of_method_and_path() {
    let interface = Interface::read(PETS, settings()).unwrap();
    let names: Vec<&str> = interface.commands().collect();
    assert_eq!(names, ["list-pets", "create-pet", "get-health"]);
    let help = help(Some("get-health"));
    assert!(help.starts_with("Is it up?\n\nUsage: "), "{help}");
}

#[test]
fn parameters_that_are_credentials_of_the_operation_are_no_flags() {
    let document = |security: &str| {
        format!(
            "
openapi: 3.0.3
info: {{title: Pets, version: 1.0.0}}
paths:
  /pets:
    get:
      operationId: listPets
      security: {security}
      parameters:
        - {{name: x-api-key, in: header, required: true, schema: {{type: string}}}}
        - {{name: key, in: query, schema: {{type: string}}}}
        - {{name: session, in: cookie, schema: {{type: string}}}}
        - {{name: session, in: query, schema: {{type: string}}}}
      responses: {{'200': {{description: It.}}}}
components:
  securitySchemes:
    Header: {{type: apiKey, in: header, name: X-API-Key}}
    Query: {{type: apiKey, in: query, name: key}}
    Cookie: {{type: apiKey, in: cookie, name: session}}
"
        )
    };
    let flags = |security: &str| {
        let interface = Interface::read(&document(security), settings()).unwrap();
        let command = command(&interface);
        let command = command.find_subcommand("list-pets").unwrap();
        let names = command.get_arguments().filter_map(|it| it.get_long());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    // Two parameters have one name.
    let both = ["session", "session-query"];
    assert_eq!(flags("[]"), ["x-api-key", "key", both[0], both[1]]);
    assert_eq!(flags("[{Header: []}]"), ["key", both[0], both[1]]);
    let all = flags("[{Header: [], Query: []}, {Cookie: []}]");
    assert_eq!(all, ["session"]);

    let server = Server::start("200 OK", "text/plain", "");
    let document = document("[{Header: []}]");
    run(&document, "list-pets --auth-header secret", &server.url).unwrap();
    let request = server.request().to_ascii_lowercase();
    assert_eq!(request.matches("x-api-key").count(), 1, "{request}");
}

#[test]
fn help_lists_commands_below_the_parents_of_their_tags() {
    let document = "
openapi: 3.2.0
info: {title: Shop, version: 1.0.0}
tags:
  - {name: toys, parent: goods, summary: Toys for cats}
  - {name: goods, summary: Goods}
  - {name: beta, kind: badge}
  - {name: lost, parent: gone}
paths:
  /balls: {get: {tags: [beta, toys], summary: List balls, responses: {'204': {description: They.}}}}
  /orders: {get: {tags: [orders], summary: List orders, responses: {'204': {description: They.}}}}
  /goods: {get: {tags: [goods], summary: List goods, responses: {'204': {description: They.}}}}
  /lost: {get: {tags: [lost], summary: List what is lost, responses: {'204': {description: They.}}}}
";
    let interface = Interface::read(document, settings()).unwrap();
    let help = command(&interface).render_long_help().to_string();
    let (_, help) = help.split_once("\n\n").unwrap();
    let (groups, _) = help.split_once("More:").unwrap();
    let groups: Vec<&str> = groups.lines().skip(2).map(str::trim_end).collect();
    insta::assert_snapshot!(groups.join("\n"), @r"
    Goods:
      get-goods    List goods

    Goods > Toys for cats:
      get-balls    List balls

    orders:
      get-orders   List orders

    gone > lost:
      get-lost     List what is lost
    ");
}
