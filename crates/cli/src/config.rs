//! Configuration file of `sunfleck render`: options as TOML, with the names that they have on the command line.
//!
//! The options of the file become words of the command line, before those of the user, so that both are checked in the
//! same way. No file is read unless the command line names it: an image that depends on the working folder could not be
//! repeated elsewhere.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use sunfleck_command::Failure;
use toml::{Table, Value};

/// Subcommand that has configuration files.
const SUBCOMMAND: &str = "render";
/// Option that names the file.
const OPTION: &str = "config";
/// Option of which each value sets something else, so that those of the command line are added to those of the file.
const ADDED: &str = "set";

/// Returns a command line with the options of the configuration file that it names, if any. An option of the command
/// line replaces the same one of the file, and those of the file that cannot be given together with it. The parameters
/// of `--set` are added to those of the file.
///
/// * `table` — all subcommands with their arguments. * `given` — what the command line gives. It need not be complete:
///   the file may have an option that one of the command line requires.
///
/// # Errors
/// The file cannot be read, or has an option that does not exist or a value that is invalid.
pub(crate) fn with_options_of_file(
    mut table: Command,
    words: Vec<OsString>,
    given: &ArgMatches,
) -> Result<Vec<OsString>, Failure> {
    table.build();
    let (Some(given), Some(command)) =
        (given.subcommand_matches(SUBCOMMAND), table.find_subcommand(SUBCOMMAND))
    else {
        return Ok(words);
    };
    let Some(file) = given.get_one::<PathBuf>(OPTION) else { return Ok(words) };
    let is_given = |arg: &Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let excludes =
        |a: &Arg, b: &Arg| command.get_arg_conflicts_with(a).iter().any(|c| c.get_id() == b.get_id());
    let mut added = Vec::new();
    for (name, value) in read(file)? {
        let failure = |why: String| Failure::bad_input(format!("{}: `{name}`: {why}", file.display()));
        let arg = command.get_arguments().find(|arg| is_named(arg, &name)).filter(|_| name != OPTION);
        let arg = arg.ok_or_else(|| {
            failure("there is no such option".into()).with_help("`sunfleck help render` lists all options")
        })?;
        let replaces = |other: &Arg| match other == arg {
            true => name != ADDED,
            false => excludes(arg, other) || excludes(other, arg),
        };
        let is_replaced = command.get_arguments().any(|other| is_given(other) && replaces(other));
        let option = words_of(arg, &name, &value).map_err(failure)?;
        check(command, &option).map_err(failure)?;
        if !is_replaced {
            added.extend(option);
        }
    }
    // After the name of the subcommand, before the user's words
    let at = words.iter().skip(1).position(|word| word == SUBCOMMAND).map_or(words.len(), |at| at + 2);
    let mut all = words;
    all.splice(at..at, added);
    Ok(all)
}

/// Returns whether an argument has a long name, or is listed in the help under it.
fn is_named(arg: &Arg, name: &str) -> bool {
    arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&name))
}

fn read(file: &Path) -> Result<Table, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::bad_input(format!("{}: {}", file.display(), sunfleck_image::io_reason(&error)))
    })?;
    text.parse().map_err(|error: toml::de::Error| {
        let offset = error.span().map_or(0, |span| span.start);
        let line = text.get(..offset).map_or(0, |before| before.matches('\n').count()) + 1;
        Failure::bad_input(format!("{}:{line}: {}", file.display(), error.message())).at(file, offset)
    })
}

/// Returns the words that set an option.
fn words_of(arg: &Arg, name: &str, value: &Value) -> Result<Vec<OsString>, String> {
    let takes_values = arg.get_action().takes_values();
    match value {
        Value::Boolean(is_set) if !takes_values => {
            Ok(if *is_set { vec![format!("--{name}").into()] } else { Vec::new() })
        }
        _ if !takes_values => Err("it is true or false".into()),
        Value::Array(values) if matches!(arg.get_action(), ArgAction::Append) => {
            let words = values.iter().map(|value| Ok(format!("--{name}={}", text_of(value)?).into()));
            words.collect()
        }
        value => Ok(vec![format!("--{name}={}", text_of(value)?).into()]),
    }
}

/// Returns a value as it is written on the command line.
fn text_of(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        // Points such as `look-from = [1, 2.5, -3]`
        Value::Array(values) => Ok(values.iter().map(text_of).collect::<Result<Vec<_>, _>>()?.join(",")),
        Value::Boolean(_) | Value::Datetime(_) | Value::Table(_) => {
            Err("it must be a string, a number or an array of these".into())
        }
    }
}

/// Checks the value of an option. Errors: what clap says.
fn check(command: &Command, words: &[OsString]) -> Result<(), String> {
    let words = std::iter::once(OsString::from(SUBCOMMAND)).chain(words.iter().cloned());
    let command = command.clone().no_binary_name(false).ignore_errors(false);
    match command.try_get_matches_from(words) {
        Err(error) if is_of_value(&error) => {
            let text = error.render().to_string();
            let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
            Err(line)
        }
        // Options that need others are checked with them
        _ => Ok(()),
    }
}

fn is_of_value(error: &clap::Error) -> bool {
    use clap::error::ErrorKind::{InvalidValue, ValueValidation};
    matches!(error.kind(), InvalidValue | ValueValidation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    /// Returns the command line with the options of a file, after `sunfleck render --config FILE`.
    fn merged(content: &str, words: &str) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        std::fs::write(&file, content).unwrap();
        let mut line: Vec<OsString> = ["sunfleck", "render", "--config"].map(OsString::from).into();
        line.push(file.into());
        line.extend(words.split_whitespace().map(OsString::from));
        let given = args::given(&line);
        let all = with_options_of_file(args::table(), line, &given).map_err(|error| error.to_string())?;
        let all: Vec<String> = all.into_iter().map(|word| word.into_string().unwrap()).collect();
        args::table().try_get_matches_from(&all).map_err(|error| error.to_string())?;
        let end = all.iter().position(|word| word == "--config").unwrap();
        Ok(all[2..end].to_vec())
    }

    #[test]
    fn options_become_words() {
        let content = "spp = 64\nexposure = -1.5\ntransparent = true\nquiet = false\n\
                       output = [\"a.png\", \"b.exr\"]\nlook-from = [1, 2.5, -3]\n";
        let mut words = merged(content, "cornell").unwrap();
        words.sort();
        let expected = [
            "--exposure=-1.5",
            "--look-from=1,2.5,-3",
            "--output=a.png",
            "--output=b.exr",
            "--spp=64",
            "--transparent",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn options_have_all_names_of_the_help() {
        assert_eq!(merged("aov = \"albedo\"\n", "").unwrap(), ["--aov=albedo"]);
        assert_eq!(
            merged("aovs = [\"albedo\", \"depth\"]\n", "").unwrap(),
            ["--aovs=albedo", "--aovs=depth"]
        );
        assert_eq!(merged("aov = \"albedo\"\n", "--aovs depth").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn the_command_line_wins() {
        let content = "spp = 64\nstage = \"sky\"\noutput = \"a.png\"\n";
        assert_eq!(merged(content, "--spp 4 -o b.png").unwrap(), ["--stage=sky"]);
        assert_eq!(merged(content, "--environment white --spp 4 -o b.png").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn parameters_of_both_are_set_and_those_of_the_command_line_last() {
        let content = "set = [\"max_bounces=3\", \"roulette_after=2\"]\n";
        let words = merged(content, "--set max_bounces=5").unwrap();
        assert_eq!(words, ["--set=max_bounces=3", "--set=roulette_after=2"]);
    }

    #[test]
    fn the_file_may_have_what_an_option_of_the_command_line_requires() {
        assert_eq!(merged("frames = \"0..3\"\n", "--no-reuse --fps 12").unwrap(), ["--frames=0..3"]);
        assert!(merged("spp = 4\n", "--no-reuse").unwrap_err().contains("--frames"), "neither has it");
        assert!(merged("spp = 4\n", "--spp many").unwrap_err().contains("many"), "a wrong value stays wrong");
    }

    #[test]
    fn faults_are_located() {
        let says = |content: &str, words: &[&str]| {
            let message = merged(content, "").unwrap_err();
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        };
        says("sppp = 64\n", &["a.toml", "`sppp`", "no such option"]);
        says("config = \"b.toml\"\n", &["`config`"]);
        says("spp = \"many\"\n", &["a.toml", "`spp`", "many"]);
        says("spp = true\n", &["`spp`", "string"]);
        says("transparent = 1\n", &["`transparent`", "true or false"]);
        says("spp = 1\nspp = \n", &["a.toml:2"]);
        says("[view]\nspp = 1\n", &["`view`", "no such option"]);
    }
}
