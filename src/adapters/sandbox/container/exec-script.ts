/**
 * Pid 1 of a container that runs one command. Its standard error is the host's; the command has
 * none of it.
 */
export const startedMark = 'drydock: started'
const endedMark = 'drydock: ended'

export interface ScriptInput {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly command: string
  /** A line that bounds what follows. */
  readonly limit: string
}

const kernelCounts = '/sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control'

/**
 * Reads the script from standard input and leaves the rest of it to the command: neither the
 * command nor its environment shows up in a list of processes. A script that is cut short is an
 * error of syntax and does nothing.
 */
export function scriptReader(script: Uint8Array): readonly string[] {
  return ['/usr/bin/env', '-i', '/bin/sh', '-c', 'eval "$(head -c "$1")"', 'sh', `${script.length}`]
}

export function execScript({ cwd, env, command, limit }: ScriptInput): Uint8Array {
  const lines = [
    '{',
    `cd ${quoted(cwd)} || exit 125`,
    `echo '${startedMark}' >&2`,
    // Not pid 1 itself, which no signal from inside can end.
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
    // podman whose write into the container fails drops what it has not passed on of its outputs.
    'cat >/dev/null',
    'exit "$code"',
    '}',
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

export interface ProgramScriptInput extends Omit<ScriptInput, 'command'> {
  readonly argv: readonly string[]
}

/** Pid 1 of a container with a program that goes on, which has its standard input and outputs. */
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
 * What pid 1 said at last: the command's exit code, and how many processes the kernel killed
 * because memory ran out.
 */
export function parseEnded(line: string): { readonly exitCode: number; readonly outOfMemory: boolean } | null {
  const [, code, killed] = new RegExp(`^${endedMark} (\\d+) (\\d+)$`).exec(line) ?? []
  return code === undefined ? null : { exitCode: Number(code), outOfMemory: killed !== '0' }
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
