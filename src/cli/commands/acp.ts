import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { codersOf } from '../../app/commands/check-config.ts'
import { usage } from '../../app/usage.ts'
import { workUntilRest } from '../../app/wait/work-until-rest.ts'
import { serveAcp } from '../../compose/serve-acp.ts'
import { secretVariables } from '../../config/known-secrets.ts'
import { createRedactor } from '../../domain/secrets/redact.ts'
import { version } from '../../processes/installation.ts'
import { startDetached } from '../../processes/start-detached.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

interface AcpOptions {
  /** Id of a Run. */
  readonly work?: string
}

/**
 * Lets an editor drive Drydock over the Agent Client Protocol until stdin ends. Only the protocol
 * is written to stdout.
 */
export async function acp(
  context: Context,
  _: readonly string[],
  options: CommonOptions & AcpOptions,
): Promise<number> {
  if (options.work !== undefined) return work(context, options.work, options)
  const { terminal, output } = context
  const stdin = terminal.stdin?.()
  if (stdin === undefined || stdin.isTTY === true) {
    throw usage('drydock acp must be started by an editor.', 'Configure your editor: see docs/editors.md')
  }
  const { maxCoders, sandbox } = options
  const flags = [...(maxCoders ? ['--max-coders', `${maxCoders}`] : []), ...(sandbox ? ['--sandbox', sandbox] : [])]
  await serveAcp({
    version: version(),
    input: Readable.from(stdin),
    output: terminal.stdout,
    directory: resolve(options.repo ?? '.'),
    redact: createRedactor(secretVariables(terminal.env)),
    onError: (message) => output.note(`drydock acp: ${message}`),
    async open(repo) {
      const drydock = await open(context, { ...options, repo })
      await drydock.ensureState()
      const { env, state, repository } = drydock
      const log = join(state, 'acp.log')
      return {
        drydock,
        options,
        work: (run) => startDetached(['acp', '--work', run, '--repo', repository, ...flags], { env, log }),
      }
    },
  })
  return 0
}

/** Runs the process that works on a Run while editors connect and disconnect. */
async function work(context: Context, run: string, options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const stop = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const end = () => stop.abort()
  for (const signal of signals) process.on(signal, end)
  try {
    const coders = await codersOf(drydock, options)
    await workUntilRest(drydock, run, { coders, onNote: output.note, stop: stop.signal })
    return stop.signal.aborted ? 130 : 0
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}
