/** A program to be run by a shell. */
export interface ShellProgram {
  /** Absolute path. */
  readonly file: string
  readonly args: readonly string[]
  /** The program's whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute path. */
  readonly cwd: string
  /** The program's input; empty if left out. */
  readonly input?: string | Buffer | undefined
  readonly onStdout: (bytes: Buffer) => void
  readonly onStderr: (bytes: Buffer) => void
  /** Called with the process group of the program and its children. */
  readonly onStarted?: ((group: number) => void) | undefined
}

/** A longer input needs a separate pipe. */
const mostInput = 16_384

/** The status if the folder could not be entered. */
export const noFolder = 'none'

/**
 * POSIX shell commands that run the program and store its status in `s`. All words are quoted, so
 * that the shell does not interpret them. Null if the program cannot be expressed this way.
 */
export function shellLine({ file, args, env, cwd, input }: ShellProgram): string | null {
  const words = [cwd, file, ...args, ...Object.values(env)]
  if (words.some((word) => word.includes('\0')) || !Object.keys(env).every(isAssignable)) return null
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  const command = [...assignments, quoted(file), ...args.map(quoted)].join(' ')
  const run = input === undefined ? `${command} </dev/null` : piped(input, command)
  if (run === null) return null
  // The shell exports its working folder, which is not in the program's environment.
  return `if cd -P ${quoted(cwd)} 2>/dev/null; then unset PWD OLDPWD; ${run}; s=$?; else s=${noFolder}; fi; cd /`
}

/** The status is the command's. Null if the input is too long. */
function piped(input: string | Buffer, command: string): string | null {
  if (input.length > mostInput) return null
  // A printf format in which all but these bytes are octal escapes.
  const octal = (byte: string) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
  const bytes = Buffer.from(input).toString('latin1')
  return `printf ${quoted(bytes.replace(/[^\w ./:;,=+@\n]/g, octal))} | ${command}`
}

/**
 * True for names without a special meaning in any shell, since some special variables must not be
 * assigned.
 */
function isAssignable(name: string): boolean {
  return /^(?:PATH|HOME|USER|LANG|TMPDIR|SYSTEMROOT|(?:LC|GIT|XDG)_[A-Z0-9_]+)$/.test(name)
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
