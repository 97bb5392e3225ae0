exec "git", "push", "origin", "main";
