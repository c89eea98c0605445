/**
 * The scripts for pid 1 of a container that runs one command. Pid 1 writes marks to its standard
 * error, which the command does not inherit.
 */
export const startedMark = 'drydock: started'
const endedMark = 'drydock: ended'

export interface ScriptInput {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly command: string
  /** A shell line that limits everything after it. */
  readonly limit: string
}

const kernelCounts = '/sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control'

/**
 * Reads the script from standard input and leaves the rest to the command, so that neither the
 * command nor its environment appears in a list of processes. A truncated script is a syntax error
 * and runs nothing.
 */
export function scriptReader(script: Uint8Array): readonly string[] {
  return ['/usr/bin/env', '-i', '/bin/sh', '-c', 'eval "$(head -c "$1")"', 'sh', `${script.length}`]
}

export function execScript({ cwd, env, command, limit }: ScriptInput): Uint8Array {
  const lines = [
    '{',
    `cd ${quoted(cwd)} || exit 125`,
    `echo '${startedMark}' >&2`,
    // A subshell, since no signal from inside can kill pid 1 itself.
    '(',
    'unset OLDPWD',
    limit,
    ...exports(env),
    `exec /bin/sh -c ${quoted(command)}`,
    ') 2>&1',
    'code=$? killed=0',
    `for file in ${kernelCounts}; do`,
    '  if [ -r "$file" ]; then while read -r key value; do [ "$key" != oom_kill ] || killed=$value; done <"$file"; fi',
    'done',
    `echo "${endedMark} $code $killed" >&2`,
    // If podman's write into the container fails, it drops output that it has not passed on, so all
    // input is read.
    'cat >/dev/null',
    'exit "$code"',
    '}',
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

export interface ProgramScriptInput extends Omit<ScriptInput, 'command'> {
  readonly argv: readonly string[]
}

/**
 * Pid 1 of a container with a long-running program, which uses the container's standard input and
 * outputs.
 */
export function programScript({ cwd, env, argv, limit }: ProgramScriptInput): Uint8Array {
  const lines = [
    '{',
    `cd ${quoted(cwd)} || exit 125`,
    '(',
    'unset OLDPWD',
    limit,
    ...exports(env),
    `exec ${argv.map(quoted).join(' ')}`,
    ')',
    'exit $?',
    '}',
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

function exports(env: ScriptInput['env']): readonly string[] {
  return Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`)
}

/**
 * Parses pid 1's last line: the command's exit code, and the number of processes that the kernel
 * killed for lack of memory.
 */
export function parseEnded(line: string): { readonly exitCode: number; readonly outOfMemory: boolean } | null {
  const [, code, killed] = new RegExp(`^${endedMark} (\\d+) (\\d+)$`).exec(line) ?? []
  return code === undefined ? null : { exitCode: Number(code), outOfMemory: killed !== '0' }
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
