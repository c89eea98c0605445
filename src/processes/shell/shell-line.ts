/** What a shell is asked to run. */
export interface ShellProgram {
  /** Absolute path. */
  readonly file: string
  readonly args: readonly string[]
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute path. */
  readonly cwd: string
  /** What it reads; without any nothing. */
  readonly input?: string | Buffer | undefined
  readonly onStdout: (bytes: Buffer) => void
  readonly onStderr: (bytes: Buffer) => void
  /** Told the process group that it and what it starts are in. */
  readonly onStarted?: ((group: number) => void) | undefined
}

/** A longer input needs a pipe of its own. */
const mostInput = 16_384

/** The status where the folder could not be entered. */
export const noFolder = 'none'

/**
 * Commands of a POSIX shell that run the program and leave its status in `s`. The words of the
 * program are quoted, so that the shell takes them as they are. null when a shell cannot be told
 * so.
 */
export function shellLine({ file, args, env, cwd, input }: ShellProgram): string | null {
  const words = [cwd, file, ...args, ...Object.values(env)]
  if (words.some((word) => word.includes('\0')) || !Object.keys(env).every(isAssignable)) return null
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  const command = [...assignments, quoted(file), ...args.map(quoted)].join(' ')
  const run = input === undefined ? `${command} </dev/null` : piped(input, command)
  if (run === null) return null
  // The shell exports where it is, which is not of the program's environment.
  return `if cd -P ${quoted(cwd)} 2>/dev/null; then unset PWD OLDPWD; ${run}; s=$?; else s=${noFolder}; fi; cd /`
}

/** The status is that of the command. null when it is too much to be told. */
function piped(input: string | Buffer, command: string): string | null {
  if (input.length > mostInput) return null
  // A format of printf, in which all but these bytes are octal numbers.
  const octal = (byte: string) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
  const bytes = Buffer.from(input).toString('latin1')
  return `printf ${quoted(bytes.replace(/[^\w ./:;,=+@\n]/g, octal))} | ${command}`
}

/** Names that no shell gives a meaning of its own, which one that it must not assign would have. */
function isAssignable(name: string): boolean {
  return /^(?:PATH|HOME|USER|LANG|TMPDIR|SYSTEMROOT|(?:LC|GIT|XDG)_[A-Z0-9_]+)$/.test(name)
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
