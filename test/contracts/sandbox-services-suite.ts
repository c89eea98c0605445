import { expect, onTestFinished, test } from 'vitest'
import type { SandboxSpec } from '../../src/ports/sandbox.ts'
import { processesWith } from '../gate/verifier-world.ts'
import type { SandboxAdapter } from './sandboxes.ts'

const never = new AbortController().signal
const mebibyte = 1_048_576
const limits = { memoryBytes: 2_048 * mebibyte, fileBytes: 64 * mebibyte, openFiles: 512, tmpfsBytes: 16 * mebibyte }
const spec: SandboxSpec = { mounts: [], cwd: '/tmp', env: { GREETING: 'hello' }, limits }

/**
 * The service gets its own variables and those of the command, a folder, and the command's
 * loopback.
 */
const service = {
  name: 'server',
  command: 'echo "$GREETING $WHO" | tee "$SERVICE_DIR/word"; exec sleep 76543',
  env: { WHO: 'you' },
  ready: { command: 'test -s "$SERVICE_DIR/word"' },
  timeoutMs: 30_000,
}
const read = 'cat /tmp/services/server/word'

export function servicesSuite({ create }: SandboxAdapter): void {
  const sandbox = create()

  async function exec(command: string, change: Partial<typeof service> = {}) {
    const said = { command: '', service: '' }
    const onOutput = (chunk: Uint8Array) => {
      said.service += Buffer.from(chunk).toString()
    }
    const asked = {
      command,
      timeoutMs: 60_000,
      onOutput(chunk: Uint8Array) {
        said.command += Buffer.from(chunk).toString()
      },
      services: [{ ...service, ...change, onOutput }],
    }
    return { done: await sandbox.exec(spec, asked, never), said }
  }

  test('in the sandbox of one command, whose exit code it is', async () => {
    const { done, said } = await exec(`${read}; echo "$WHO"; exit 7`)
    const services = [{ name: 'server', readyMs: expect.any(Number), exitCode: null }]
    expect(done).toEqual({
      ok: true,
      value: { exitCode: 7, timedOut: false, durationMs: expect.any(Number), services },
    })
    expect(said).toEqual({ command: 'hello you\n\n', service: 'hello you\n' })
    expect(processesWith('sleep 76543')).toBe(0)
  })

  test('and runs no command if one does not start', async () => {
    const { done, said } = await exec('echo ran', { command: 'echo cannot; exit 4' })
    const errorMessage = 'Service server did not come up: its command ended with exit code 4'
    expect(done).toEqual({ ok: false, error: { errorType: 'service_failed', errorMessage } })
    expect(said).toEqual({ command: '', service: 'cannot\n' })
  })

  test('for a command of a session that asks for them, and ends them with it', async () => {
    const opened = await sandbox.open({ ...spec, services: [service] }, never)
    if (!opened.ok) throw new Error(opened.error.errorMessage)
    onTestFinished(() => opened.value.close())
    const run = async (command: string) => {
      const reply = await opened.value.request({ op: 'run', command, timeoutMs: 60_000, maxBytes: 10_000 }, never)
      return reply.ok ? [reply.value.exitCode, reply.value.output] : reply
    }
    expect(await run(`$WITH_SERVICES sh -c '${read}; echo "$WHO"; exit 7'`)).toEqual([7, 'hello you\nyou\n'])
    expect(processesWith('sleep 76543')).toBe(0)
    // The services start again.
    expect(await run(`$WITH_SERVICES sh -c '${read}; rm /tmp/services/server/word'`)).toEqual([0, 'hello you\n'])
    expect(await run(`$WITH_SERVICES ${read}`)).toEqual([0, 'hello you\n'])
    expect(await run('$WITH_SERVICES no-such-program')).toEqual([127, expect.stringContaining('ENOENT')])
  })

  test('and tells a command of a session why one does not start', async () => {
    const services = [{ ...service, command: 'echo cannot; exit 4' }]
    const opened = await sandbox.open({ ...spec, services }, never)
    if (!opened.ok) throw new Error(opened.error.errorMessage)
    onTestFinished(() => opened.value.close())
    const command = '$WITH_SERVICES echo ran'
    const reply = await opened.value.request({ op: 'run', command, timeoutMs: 60_000, maxBytes: 10_000 }, never)
    const output =
      'Service server did not come up: its command ended with exit code 4. /tmp/services/server.log ends with:\ncannot\n\n'
    expect(reply).toMatchObject({ ok: true, value: { exitCode: 125, output } })
  })
}
