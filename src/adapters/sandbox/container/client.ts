import { startProgram } from '../../../processes/start-program.ts'
import { sealed } from '../inherited-descriptors.ts'

const mostOutputChars = 1_000_000

/** The command line of docker or podman. */
export interface ContainerClient {
  readonly program: 'docker' | 'podman'
  /**
   * Variables that the program itself needs, PATH among them; nothing of a spec is ever among them.
   */
  readonly hostEnv: Readonly<Record<string, string>>
  /** Program and arguments of one of its commands. */
  argv(args: readonly string[]): readonly [string, ...string[]]
  /**
   * Runs one of its commands to its end, in a session of its own: Ctrl-C in a terminal is for
   * Drydock only. Never rejects.
   */
  run(args: readonly string[]): Promise<ClientEnd>
}

/** `words` is what was said on standard error, or why the program could not be started. */
export interface ClientEnd {
  readonly ok: boolean
  readonly output: string
  readonly words: string
}

export interface ClientOptions {
  readonly program: 'docker' | 'podman'
  /** Options of the program itself, which come before its command. */
  readonly globalOptions: readonly string[]
  readonly hostEnv: Readonly<Record<string, string>>
}

export function createClient({ program, globalOptions, hostEnv }: ClientOptions): ContainerClient {
  const client: ContainerClient = {
    program,
    hostEnv,
    argv: (args) => [program, ...globalOptions, ...args],
    run: (args) => runToItsEnd(client.argv(args), hostEnv),
  }
  return client
}

function runToItsEnd([program, ...args]: readonly [string, ...string[]], env: Readonly<Record<string, string>>) {
  return new Promise<ClientEnd>((resolve) => {
    const seal = sealed(['ignore', 'pipe', 'pipe'] as const)
    const child = startProgram(program, args, { cwd: '/', env: { ...env }, stdio: seal.stdio, detached: true })
    seal.close()
    const text = { output: '', words: '' }
    const keep = (name: keyof typeof text) => (chunk: string) => {
      text[name] = (text[name] + chunk).slice(-mostOutputChars)
    }
    child.stdout?.setEncoding('utf8').on('data', keep('output'))
    child.stderr?.setEncoding('utf8').on('data', keep('words'))
    child.once('error', (error) => resolve({ ok: false, output: '', words: error.message }))
    child.once('close', (code) => resolve({ ok: code === 0, output: text.output, words: text.words.trim() }))
  })
}
