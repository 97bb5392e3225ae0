import subprocess
subprocess.run(["@GIT@", "push", "origin", "main"], check=True)
