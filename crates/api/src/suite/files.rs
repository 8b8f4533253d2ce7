//! The goals of a suite, and the files that belong to each of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use waymark_run::Code;

use super::SuiteRequest;
use crate::discover::Provider;
use crate::file;
use crate::problems::Problems;

/// The goals in the order in which they are tried: as they were named, those of a folder by name. Each file once.
pub(super) fn goals(paths: &[PathBuf], problems: &mut Problems) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let mut goals = Vec::new();
    for path in paths {
        let mut add = |file: PathBuf| {
            if seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                goals.push(file);
            }
        };
        let label = path.display().to_string();
        if !path.is_dir() {
            match path.try_exists() {
                Ok(true) => add(path.clone()),
                Ok(false) => {
                    let message = "there is no such file or folder";
                    problems.add(Code::InvalidInvocation, label, "unreadable", message, "check the path");
                }
                Err(error) => {
                    let (problem, message, hint) = file::told(&error);
                    problems.add(Code::InvalidInvocation, label, problem, message, hint);
                }
            }
            continue;
        }
        let listed: std::io::Result<Vec<PathBuf>> =
            std::fs::read_dir(path).and_then(|all| all.map(|entry| entry.map(|entry| entry.path())).collect());
        match listed {
            Err(error) => {
                let (problem, message, hint) = file::told(&error);
                problems.add(Code::InvalidInvocation, label, problem, message, hint);
            }
            Ok(mut files) => {
                files.retain(|file| file.is_file() && file.extension().is_some_and(|ending| ending == "md"));
                files.sort();
                if files.is_empty() {
                    let message = "there is no goal in this folder";
                    let hint = "a goal is a Markdown file, `NAME.md`; folders in it are not looked into";
                    problems.add(Code::InvalidInvocation, label, "no_goal", message, hint);
                }
                files.into_iter().for_each(&mut add);
            }
        }
    }
    goals
}

/// What belongs to one goal: the file itself where all share one, else the one of a folder that is called like the goal.
pub(super) fn of_goal(place: &Path, goal: &Path) -> PathBuf {
    if !place.is_dir() {
        return place.to_path_buf();
    }
    let stem = goal.file_stem().unwrap_or_default().to_string_lossy();
    place.join(format!("{stem}.jsonl"))
}

/// Says what is wrong with the files by which models answer, for all goals together.
pub(super) fn check(request: &SuiteRequest, goals: &[PathBuf], problems: &mut Problems) {
    let played = match &request.provider {
        Provider::Cassette(place) => Some(place),
        Provider::Scripted(_) | Provider::Network { .. } => None,
    };
    if let (Some(folder), [_, _, ..]) = (played.or(request.cassette.as_ref()), goals)
        && !folder.is_dir()
    {
        let message = "there are several goals, and a recording is of one";
        let hint = "name a folder that exists: NAME.jsonl in it is the recording of the goal NAME.md";
        problems.add(Code::InvalidInvocation, "--cassette", "not_a_folder", message, hint);
    }
    let script = |flag: &str, provider: &Provider, problems: &mut Problems| {
        if let Provider::Scripted(place) = provider
            && !place.exists()
        {
            let message = format!("{} does not exist", place.display());
            problems.add(Code::InvalidInvocation, flag, "unreadable", message, "check the path");
        }
    };
    script("--script", &request.provider, problems);
    script("--selector-script", &request.selector, problems);
    if let Some(place) = played.filter(|place| !place.exists()) {
        let message = format!("{} does not exist", place.display());
        problems.add(Code::InvalidInvocation, "--cassette", "unreadable", message, "check the path");
    }
    let scripts = [&request.provider, &request.selector].into_iter().filter_map(|provider| match provider {
        Provider::Scripted(place) | Provider::Cassette(place) => Some(place),
        Provider::Network { .. } => None,
    });
    if scripts.chain(&request.cassette).any(|place| place.is_dir()) {
        let mut stems = BTreeSet::new();
        for goal in goals.iter().filter(|goal| !stems.insert(goal.file_stem())) {
            let message = "another goal has the same name, so they would share their file";
            let hint = "rename one of the two, or try them by two calls";
            problems.add(Code::InvalidInvocation, goal.display().to_string(), "same_name", message, hint);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "files of a folder of its own")]

    use super::*;

    #[test]
    fn goals_come_as_named_those_of_a_folder_by_name_and_each_once() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.md", "a.md", "notes.txt"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let mut problems = Problems::default();
        let named = [folder.path().join("b.md"), folder.path().to_path_buf(), folder.path().join("./a.md")];
        let names: Vec<_> =
            goals(&named, &mut problems).iter().map(|goal| goal.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["b.md", "a.md"]);
        assert!(problems.rejection("x").is_none());
        let mut problems = Problems::default();
        let empty = tempfile::tempdir().unwrap();
        let none = goals(&[empty.path().to_path_buf(), empty.path().join("gone.md")], &mut problems);
        let words: Vec<String> = problems.rows().into_iter().map(|row| row.code).collect();
        assert_eq!((none.len(), words), (0, vec!["no_goal".to_owned(), "unreadable".to_owned()]));
    }

    #[test]
    fn a_folder_holds_one_file_for_each_goal_and_a_file_is_for_all() {
        let folder = tempfile::tempdir().unwrap();
        let goal = Path::new("goals/bank.read.md");
        assert_eq!(of_goal(folder.path(), goal), folder.path().join("bank.read.jsonl"));
        assert_eq!(of_goal(Path::new("turns.jsonl"), goal), Path::new("turns.jsonl"));
    }
}
