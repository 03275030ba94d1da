//! Pages as a browser shows them.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The browsers that may be there, by the names that systems give them.
fn browser() -> Option<&'static str> {
    let there = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(there)
}

/// Looks at every plot as a reader would. What it finds ends the page.
const READER: &str = r#"<script>
const found = { texts: 0, small: [], outside: [], covered: [] };
for (const plot of document.querySelectorAll('svg.plot')) {
  const frame = plot.getBoundingClientRect();
  const boxes = [...plot.querySelectorAll('text')].filter(t => t.textContent).map(text => ({ text, box: text.getBoundingClientRect() }));
  found.texts += boxes.length;
  boxes.forEach(({ text, box }, k) => {
    const scale = frame.width / 800, size = parseFloat(getComputedStyle(text).fontSize) * scale;
    if (size < 12) found.small.push(text.textContent);
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) found.outside.push(text.textContent);
    for (const other of boxes.slice(k + 1)) {
      const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (wide > 1 && high > 3) found.covered.push(text.textContent + ' | ' + other.text.textContent);
    }
  });
}
document.body.insertAdjacentText('beforeend', 'FOUND' + JSON.stringify(found) + 'END');
</script>"#;

/// The page as a browser 800 pixels wide has it after its scripts, and one more, have run; `None` without a browser.
pub fn dom(page: &str, script: &str) -> Option<String> {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no browser (Debian package `chromium`)");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("read.html"), page.replace("</body>", &format!("{script}{READER}</body>"))).unwrap();
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--window-size=800,1200", "--hide-scrollbars", "--virtual-time-budget=2000"])
        .arg(format!("--user-data-dir={}", path("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", path("read.html").display()))
        .stdout(Stdio::from(std::fs::File::create(path("dom.html")).unwrap()))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > patience {
            child.kill().unwrap();
            panic!("{browser} did not finish");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(std::fs::read_to_string(path("dom.html")).unwrap())
}

/// Every plot can be read: no small text, none outside its plot, none over another.
pub fn assert_legible(dom: &str, texts: u64) {
    let found = dom.rsplit_once("FOUND").unwrap().1.split_once("END").unwrap().0;
    let found: serde_json::Value = serde_json::from_str(found).unwrap();
    assert!(found["texts"].as_u64().unwrap() > texts, "{found}");
    for fault in ["small", "outside", "covered"] {
        assert_eq!(found[fault].as_array().unwrap().len(), 0, "{fault}: {found}");
    }
}
