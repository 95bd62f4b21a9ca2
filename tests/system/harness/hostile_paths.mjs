// SPDX-License-Identifier: Apache-2.0

// Strings that try to leave `root`, most of them towards `outside`, which lies
// beside it and begins with its name. At least 500, the same in every run.
export function hostilePaths({ root, outside }) {
  const found = new Set();
  const targets = ["etc/passwd", "root-evil/secret.py", "secret.py", "proc/self/environ"];
  const ups = ["..", "../..", "../../..", "../../../../../../../..", "./..", "x/../..", "inner/../../", "..//", "././../.", "ledger.py/.."];
  for (const up of ups) for (const target of targets) found.add(`${up}/${target}`);

  // The same, spelled so that somebody may decode it.
  const spell = [
    (path) => path.replaceAll("..", "%2e%2e"),
    (path) => path.replaceAll("/", "%2f"),
    (path) => path.replaceAll(".", "%2e").replaceAll("/", "%2f"),
    (path) => path.replaceAll("..", "%252e%252e"),
    (path) => path.replaceAll("/", "%252f"),
    (path) => path.replaceAll("/", "\\"),
    (path) => path.replaceAll("/", "\\/"),
    (path) => path.replaceAll("..", "..\\"),
    (path) => path.replaceAll("..", "%c0%ae%c0%ae"),
    (path) => path.replaceAll("..", "\uff0e\uff0e"),
    (path) => path.replaceAll("..", "\u2024\u2024"),
    (path) => path.replaceAll("/", "\u2215"),
    (path) => path.replaceAll("..", "...."),
    (path) => path.replaceAll("..", ".. "),
    (path) => path.replaceAll("..", "..\u0000"),
    (path) => path.replaceAll("..", "..\u200b"),
    (path) => path.replaceAll("..", "\u202e.."),
    (path) => path.replaceAll("/", "//"),
    (path) => path.replaceAll("/", "/./"),
    (path) => path.replaceAll("/", "\r\n/"),
    (path) => `${path}\u0000.py`,
    (path) => `${path}%00.py`,
    (path) => `${path}?x=1`,
    (path) => `${path}#fragment`,
    (path) => ` ${path}`,
    (path) => `${path} `,
    (path) => `\t${path}`,
    (path) => `./${path}`,
    (path) => `ledger.py/../${path}`,
    (path) => `~/${path}`,
    (path) => `$HOME/${path}`,
    (path) => `\${HOME}/${path}`,
    (path) => `$(cat ${path})`,
    (path) => `\`cat ${path}\``,
    (path) => `${path};id`,
    (path) => `--pre=cat ${path}`,
    (path) => `{${path},x}`,
    (path) => `file://${path}`,
    (path) => `file:///${path}`,
  ];
  for (const change of spell) {
    for (const up of ["..", "../..", "../../../../.."]) {
      for (const target of targets) found.add(change(`${up}/${target}`));
    }
  }

  // Absolute, also beneath the root's own name.
  for (const path of ["/", "//", "/etc/passwd", "//etc/passwd", "/etc/../etc/passwd", "/proc/self/root/etc/passwd", "/proc/self/cwd",
    "/proc/self/fd/0", "/proc/1/environ", "/dev/zero", "/dev/tty", "/dev/fd/3", "/sys/kernel", "/tmp", "/root", outside, `${outside}/secret.py`,
    `${root}-evil/secret.py`, `${root}/../root-evil/secret.py`, `${root}/../secret.py`, `${root}/./../secret.py`, `file://${outside}/secret.py`,
    `file://localhost${outside}/secret.py`, `file:${outside}/secret.py`, "C:\\Windows\\win.ini", "\\\\host\\share", "//host/share", "/.", "/.."]) {
    found.add(path);
  }

  // Beyond what a file system takes, and what is no text for it.
  for (const path of ["", ".", "..", "...", "/..", "../", "./", "-", "--", "-rf", "--help", "*", "**", "**/*", "../**/*.py", "../*", "[.][.]/secret.py",
    "?", "\u0000", "\u0001", "\u001b[2J", "\u202e", "\ud800", "a\nb", "a\r\n[Security] forged line", "%", "%%", "%2", "a".repeat(256), "a".repeat(5000),
    "../".repeat(2000), "a/".repeat(3000), "./".repeat(3000), `${"a/".repeat(300)}${"../".repeat(301)}secret.py`, "CON", "NUL", "ledger.py/", "ledger.py/.",
    "LEDGER.PY/../../secret.py", ".git", ".git/config", ".GIT/HEAD", "x/.git/config", ".g\u200bit/config", "git~1", ".git\u0000", ".git ", ".git."]) {
    found.add(path);
  }
  return [...found];
}
