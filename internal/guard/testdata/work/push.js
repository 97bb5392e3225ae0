require("child_process").execFileSync("git", ["push", "origin", "main"]);
