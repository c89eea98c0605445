import { startProgram } from '../../../processes/start-program.ts'
import { sealed } from '../inherited-descriptors.ts'

const mostOutputChars = 1_000_000

/** The command line of docker or podman. */
export interface ContainerClient {
  readonly program: 'docker' | 'podman'
  /** Variables that the program itself needs, such as PATH; never any of a spec. */
  readonly hostEnv: Readonly<Record<string, string>>
  /** Program and arguments for one of its commands. */
  argv(args: readonly string[]): readonly [string, ...string[]]
  /**
   * Runs one command to its end, in a new session, so that Ctrl-C in the terminal reaches only
   * Drydock. Never rejects.
   */
  run(args: readonly string[]): Promise<ClientEnd>
}

/** `words` is the standard error output, or the reason why the program could not start. */
export interface ClientEnd {
  readonly ok: boolean
  readonly output: string
  readonly words: string
}

export interface ClientOptions {
  readonly program: 'docker' | 'podman'
  /** Global options of the program, which precede its command. */
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
