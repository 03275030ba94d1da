//! What is written where: files, links, pipes, devices, and drafts that were left.

use std::fs::{read_to_string, symlink_metadata};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::process::Command;

use super::*;

fn text(path: &Path, content: &str) -> Result<()> {
    write(path, |file| file.write_all(content.as_bytes()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A node made by a command of the system; none where that is not allowed.
fn made(command: &str, path: &Path, kind: &[&str]) -> bool {
    let status = Command::new(command).arg(path).args(kind).status();
    let made = status.is_ok_and(|status| status.success());
    if !made {
        eprintln!("skipped: {command} cannot be used here");
    }
    made
}

#[test]
fn links_stay_and_their_targets_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [target, link, chain, dangling] =
        ["target", "link", "chain", "dangling"].map(|name| folder.path().join(name));
    text(&target, "old").unwrap();
    std::fs::set_permissions(&target, PermissionsExt::from_mode(0o600)).unwrap();
    symlink("target", &link).unwrap();
    symlink(&link, &chain).unwrap();
    symlink("new", &dangling).unwrap();
    text(&chain, "new").unwrap();
    text(&dangling, "there now").unwrap();
    assert_eq!(read_to_string(&target).unwrap(), "new");
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(read_to_string(folder.path().join("new")).unwrap(), "there now");
    for link in [&link, &chain, &dangling] {
        assert!(symlink_metadata(link).unwrap().is_symlink());
    }
    symlink("round", folder.path().join("round")).unwrap();
    assert!(text(&folder.path().join("round"), "").unwrap_err().to_string().contains("circle"));
    assert_eq!(names(folder.path()), ["chain", "dangling", "link", "new", "round", "target"]);
}

#[test]
fn pipes_are_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    if !made("mkfifo", &pipe, &[]) {
        return;
    }
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || read_to_string(pipe).unwrap()
    });
    text(&pipe, "through").unwrap();
    assert_eq!(reader.join().unwrap(), "through");
    assert!(symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(names(folder.path()), ["pipe"]);
}

#[test]
fn devices_are_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let device = folder.path().join("nothing");
    // A node of our own for the device that swallows everything.
    if !made("mknod", &device, &["c", "1", "3"]) {
        return;
    }
    match text(&device, "gone") {
        // Nodes do not work on every file system.
        Err(error) => eprintln!("skipped: {error}"),
        Ok(()) => assert!(symlink_metadata(&device).unwrap().file_type().is_char_device()),
    }
    assert_eq!(names(folder.path()), ["nothing"]);
}

#[test]
fn a_failure_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    text(&path, "old").unwrap();
    let error = write(&path, |file| file.write_all(b"ne").and(Err(IoError::other("the disk is full"))));
    assert!(error.unwrap_err().to_string().contains("the disk is full"));
    assert_eq!(read_to_string(&path).unwrap(), "old");
    assert_eq!(names(folder.path()), ["file"]);
    assert!(text(folder.path(), "").unwrap_err().to_string().contains("is a folder"));
}

#[test]
fn drafts_of_the_dead_are_swept_and_those_of_the_living_are_not() {
    let folder = tempfile::tempdir().unwrap();
    for name in [".tmpAb12cD", ".tmpnotes", ".tmp-abcde"] {
        std::fs::write(folder.path().join(name), "half of").unwrap();
    }
    write(&folder.path().join("file"), |file| {
        // Locks belong to open files, so this sweep sees what that of another process would.
        sweep(folder.path());
        file.write_all(b"whole")
    })
    .unwrap();
    assert_eq!(names(folder.path()), [".tmp-abcde", ".tmpnotes", "file"]);
    assert_eq!(read_to_string(folder.path().join("file")).unwrap(), "whole");
}
