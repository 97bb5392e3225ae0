# Finds a program on PATH, past the folder that stands in front of it.
find_program() {
	set -f
	IFS=:
	for folder in $PATH; do
		if [ "$folder" != @DIR@/bin ] && [ -x "$folder/$1" ] && [ ! -d "$folder/$1" ]; then
			printf '%s' "$folder/$1"
			return 0
		fi
	done
	return 1
}
