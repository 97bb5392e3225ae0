#!/usr/bin/env bash
# The decisions of stellwerk-hook as one would write them with bash and jq: what
# the program is measured against. It covers the events of the bench, no more:
# it reads the same event and the same snapshot, looks for a push behind
# separators, wrappers and git's own options, follows links, and prints the same
# kind of answer.
set -euo pipefail

event=$(cat)
field() { jq -r "$1 // empty" <<<"$event"; }

session=$(field .session_id)
[[ $session =~ ^[A-Za-z0-9_-]+$ ]] || { echo "no session" >&2; exit 2; }
folder=$STELLWERK_STATE/sessions/$session
[ -d "$folder" ] || { echo '{}'; exit 0; }
snapshot=$folder/snapshot.json
[ "$(jq -r .proto "$snapshot")" = 1 ] || { echo "damaged" >&2; exit 2; }
[ "$(jq -r .session "$snapshot")" = "$session" ] || { echo "damaged" >&2; exit 2; }

tool=$(field .tool_name)
agent=$(field .agent_id)
cwd=$(field .cwd)

answer() { # permission, reason, updated input
  jq -nc --arg p "$1" --arg r "$2" --argjson u "${3:-null}" \
    '{hookSpecificOutput: ({hookEventName: "PreToolUse", permissionDecision: $p, permissionDecisionReason: $r} + (if $u == null then {} else {updatedInput: $u} end))}'
  printf '{"event":"PreToolUse","tool":"%s","did":"%s"}\n' "$tool" "$1" >>"$folder/hooks.jsonl"
  exit 0
}
pass() {
  printf '{"event":"PreToolUse","tool":"%s","did":"nothing"}\n' "$tool" >>"$folder/hooks.jsonl"
  echo '{}'
  exit 0
}

# words splits a line into words, one per entry of WORDS; a separator of commands
# becomes the word ";".
words() {
  local line=$1 word='' quote='' c i started=
  WORDS=()
  for ((i = 0; i < ${#line}; i++)); do
    c=${line:i:1}
    if [ -n "$quote" ]; then
      if [ "$c" = "$quote" ]; then quote=''; else word+=$c; fi
      continue
    fi
    case $c in
    "'" | '"') quote=$c started=1 ;;
    '\') i=$((i + 1)) word+=${line:i:1} started=1 ;;
    ' ' | $'\t')
      if [ -n "$started" ]; then WORDS+=("$word"); fi
      word='' started=
      ;;
    ';' | '|' | '&' | '(' | ')' | $'\n')
      if [ -n "$started" ]; then WORDS+=("$word"); fi
      WORDS+=(';')
      word='' started=
      ;;
    *) word+=$c started=1 ;;
    esac
  done
  if [ -n "$started" ]; then WORDS+=("$word"); fi
}

# pushes reports a line that pushes.
pushes() {
  words "$1"
  local list=("${WORDS[@]}") i=0 n=${#WORDS[@]} w
  while ((i < n)); do
    w=${list[i]}
    case $w in
    ';' | *=* | env | sudo | nice | nohup | time | exec | command | xargs) i=$((i + 1)) ;;
    timeout) i=$((i + 2)) ;;
    bash | sh)
      if [ "${list[i + 1]:-}" = -c ]; then
        if pushes "${list[i + 2]:-}"; then return 0; fi
      fi
      while ((i < n)) && [ "${list[i]}" != ';' ]; do i=$((i + 1)); done
      ;;
    git)
      i=$((i + 1))
      while ((i < n)); do
        case ${list[i]} in
        -C | -c | --git-dir | --work-tree) i=$((i + 2)) ;;
        -*) i=$((i + 1)) ;;
        *) break ;;
        esac
      done
      case ${list[i]:-} in push | send-pack | http-push) return 0 ;; esac
      while ((i < n)) && [ "${list[i]}" != ';' ]; do i=$((i + 1)); done
      ;;
    gh)
      case "${list[i + 1]:-} ${list[i + 2]:-}" in "pr create" | "pr merge") return 0 ;; esac
      while ((i < n)) && [ "${list[i]}" != ';' ]; do i=$((i + 1)); done
      ;;
    *) while ((i < n)) && [ "${list[i]}" != ';' ]; do i=$((i + 1)); done ;;
    esac
  done
  return 1
}

open_kind() {
  case $1 in *.md | *.json | *.yml | *.yaml | *.sh | *.gitignore | *.txt) return 0 ;; esac
  return 1
}

if [ -z "$agent" ]; then
  case $tool in
  Bash)
    line=$(field .tool_input.command)
    if [[ $line =~ ^stellwerk\ (advance|status|run|resume|retry|skip|pause|cancel|log|show|inbox)(\ [A-Za-z0-9_-]+)*$ ]]; then answer allow ''; fi
    if pushes "$line"; then answer deny 'a push'; fi
    words "$line"
    case ${WORDS[0]:-} in
    cat | head | tail | sed | less) for w in "${WORDS[@]:1}"; do open_kind "$w" || [[ $w == -* ]] || answer deny 'code'; done ;;
    grep | rg | find) answer deny 'exploring' ;;
    esac
    command=$(jq -r --arg d "$cwd" --arg l "$line" '.shell + [$d, $l] | @sh' "$snapshot")
    answer '' '' "$(jq -c --arg c "$command" '.tool_input + {command: $c}' <<<"$event")"
    ;;
  Read | Edit | Write)
    path=$(realpath -m "$(field .tool_input.file_path)")
    case $path in "$STELLWERK_STATE"/*) answer deny 'private' ;; esac
    if open_kind "$path"; then pass; fi
    answer deny 'code'
    ;;
  Agent | Task)
    type=$(field .tool_input.subagent_type)
    offer=$(jq -c --arg t "$type" '[.offers[]? | select(.type == $t)][0] // empty' "$snapshot")
    [ -n "$offer" ] || answer deny 'not offered'
    answer allow '' "$(jq -c --arg d "$(field .tool_input.description)" '{description: $d, prompt, subagent_type: .type, run_in_background: false}' <<<"$offer")"
    ;;
  *) pass ;;
  esac
fi

work=$(jq -c --arg a "$agent" '.agents[$a] // empty' "$snapshot")
[ -n "$work" ] || answer deny 'no work'
case $tool in
Bash)
  line=$(field .tool_input.command)
  if pushes "$line"; then answer deny 'a push'; fi
  command=$(jq -r --arg l "$line" '.shell + [$l] | @sh' <<<"$work")
  answer allow '' "$(jq -c --arg c "$command" '.tool_input + {command: $c}' <<<"$event")"
  ;;
Read | Edit | Write)
  path=$(field .tool_input.file_path)
  case $path in /*) ;; *) path=$cwd/$path ;; esac
  path=$(realpath -m "$path")
  filter='.dir, .writable[]'
  [ "$tool" != Read ] || filter='.dir, .writable[], .readable[]'
  while read -r root; do
    root=$(realpath -m "$root")
    case $path in "$root" | "$root"/*) answer allow '' ;; esac
  done < <(jq -r "$filter" <<<"$work")
  answer deny 'outside'
  ;;
Agent | Task) answer deny 'no agents' ;;
*) pass ;;
esac
