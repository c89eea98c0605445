import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { doctorSecurity } from '../../src/cli/commands/doctor/doctor-security.ts'
import { createOutput } from '../../src/cli/screen/output.ts'
import { scripts } from '../../src/processes/installation.ts'
import type { Attack } from '../../src/security/attack.ts'
import { attacks } from '../../src/security/attacks.ts'
import { createTerminal } from '../cli/terminal.ts'
import { whereIs } from '../where-is.ts'

let folder: string
let env: Readonly<Record<string, string>>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  const temporary = join(folder, 'tmp')
  await mkdir(temporary)
  env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), TMPDIR: temporary, NO_COLOR: '1' }
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const real = attacks.find(({ name }) => name === 'a step resolves a name') as Attack
const planted = (name: string, run: Attack['run']): Attack => ({ row: 'lease', name, expected: 'nothing', run })
const holds = planted('it holds', async () => 'nothing')
const comesThrough = planted('it comes through', async () => 'everything')
const breaksOff = planted('it breaks off', async () => Promise.reject(new Error('no such thing')))
const isNoMatter = planted('it is no matter here', async () => ({ notApplicable: 'it is another machine' }))

/** Carries out these attacks in this process. */
async function doctor(
  tried: readonly Attack[],
  { json = true, ...options }: { json?: boolean; sandbox?: 'podman' } = {},
) {
  const [stdout, stderr] = [createTerminal(80), createTerminal(80)]
  const terminal = { env, stdout: stdout.stream, stderr: stderr.stream }
  const exitCode = await doctorSecurity({ terminal, output: createOutput(terminal, { json }) }, options, tried)
  return { exitCode, lines: stdout.lines().filter(Boolean) }
}

const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line))

describe('doctor --security', () => {
  test('with --json says one line an attack, in their order, and then the sum; 0 when all of them hold', async () => {
    const { exitCode, lines } = await doctor([real, holds, isNoMatter])
    const outcome = { type: 'attack', expected: 'nothing', observed: 'nothing', status: 'ok' }
    expect(parsed(lines)).toEqual([
      { ...outcome, row: 'network', attack: 'a step resolves a name' },
      { ...outcome, row: 'lease', attack: 'it holds' },
      {
        ...outcome,
        row: 'lease',
        attack: 'it is no matter here',
        observed: null,
        status: 'not applicable',
        reason: 'it is another machine',
      },
      { type: 'result', status: 'PASS', attacks: 3, failed: 0, not_applicable: 1 },
    ])
    expect(exitCode).toBe(0)
  })

  test('ends with 3 when one came through, or broke off', async () => {
    const { exitCode, lines } = await doctor([comesThrough, breaksOff, holds])
    expect(parsed(lines)).toMatchObject([
      { attack: 'it comes through', observed: 'everything', status: 'FAILED' },
      { attack: 'it breaks off', observed: 'the attack broke off: no such thing', status: 'FAILED' },
      { attack: 'it holds', status: 'ok' },
      { type: 'result', status: 'FAIL', attacks: 3, failed: 2, not_applicable: 0 },
    ])
    expect(exitCode).toBe(3)
  })

  test('ends with 3 when the sandbox that is chosen is not there', async () => {
    const tools = join(folder, 'tools')
    await mkdir(tools)
    for (const name of ['git', 'sh']) await symlink(whereIs(name), join(tools, name))
    env = { ...env, PATH: tools }
    const { exitCode, lines } = await doctor([real], { sandbox: 'podman' })
    expect(parsed(lines)).toMatchObject([
      { attack: real.name, observed: expect.stringMatching(/^the attack broke off: .*podman/s), status: 'FAILED' },
      { type: 'result', status: 'FAIL', failed: 1 },
    ])
    expect(exitCode).toBe(3)
  })

  test('says so where there is no git', async () => {
    env = { ...env, PATH: join(folder, 'none') }
    await expect(doctor([holds])).rejects.toMatchObject({ code: 'git_failed', message: 'There is no git to attack.' })
  })

  test('without --json prints a table and its sum, and leaves nothing in the temporary folder', async () => {
    const { exitCode, lines } = await doctor([holds, comesThrough], { json: false })
    expect(lines).toEqual([
      'Each attack with its expected and its observed result. It FAILED where the two differ.',
      'lease: A worker that continues work it no longer owns',
      'ok      it holds                                nothing',
      'FAILED  it comes through                        expected: nothing',
      '                                                observed: everything',
      expect.stringMatching(/^2 attacks in \d+ s: 1 held, 1 FAILED, 0 not applicable\.$/),
      'Do not let agents work here until this is fixed. docs/security.md explains each attack.',
    ])
    expect(exitCode).toBe(3)
    expect(await readdir(env.TMPDIR ?? '')).toEqual([])
  })

  test('ends with 130 when it is interrupted, and leaves no process, mount or file behind', async () => {
    const child = spawn(process.execPath, [scripts.program, 'doctor', '--security', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
    const lines = createInterface({ input: child.stdout })
    // Three attacks are running by now.
    for await (const _ of lines) break
    child.stdout.resume()
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(await readdir(env.TMPDIR ?? '')).toEqual([])
    expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toContain(folder)
    expect(await processesOf(folder)).toEqual([])
  })
})

/** Processes with this text in their arguments or environment. */
async function processesOf(wanted: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const said = await Promise.all(
    pids.map(async (pid) => {
      const [line, environment] = await Promise.all(
        ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')),
      )
      return `${line}${environment}`.includes(wanted) ? [line ?? ''] : []
    }),
  )
  return said.flat()
}
