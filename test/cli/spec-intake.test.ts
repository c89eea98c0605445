import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSpec } from '../../src/cli/commands/start/spec-intake.ts'
import { limits } from '../../src/domain/limits.ts'
import { createMemoryFixture, type MemoryFixture } from '../world/fixture.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-spec-'))
})

afterAll(() => rm(folder, { recursive: true }))

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

/** Reads input as a command would, with `piped` on stdin, or from a terminal. */
function read(words: readonly string[], piped: string | Uint8Array | null = null) {
  const notes: string[] = []
  const stdin = () => (piped === null ? Object.assign(Readable.from([]), { isTTY: true }) : Readable.from([piped]))
  return readSpec({ terminal: { stdin }, output: { note: (text) => void notes.push(text) } }, words)
}

const refused = (message: RegExp) => ({ code: 'bad_usage', message: expect.stringMatching(message) })

describe('a spec is', () => {
  test('a file, without its byte order mark', async () => {
    const path = await file('a spec.md', '\ufeff# Durations – größer\r\n\nAll of them.\n')
    expect(await read([path])).toEqual({ text: '# Durations – größer\r\n\nAll of them.\n', source: path })
  })

  test('piped input, with - or without an argument', async () => {
    const spec = { text: '# Piped\n', source: 'stdin' }
    expect([await read(['-'], '# Piped\n'), await read([], '# Piped\n')]).toEqual([spec, spec])
  })

  test('a line of text, as one word of the shell or as several', async () => {
    const spec = { text: 'print durations in src/format.ts', source: 'text' }
    expect(await read(['print durations in src/format.ts'])).toEqual(spec)
    expect(await read(['print', 'durations', 'in', 'src/format.ts'])).toEqual(spec)
  })

  test('as large as the limit', async () => {
    const path = await file('large.md', 'x'.repeat(limits.specBytes))
    expect((await read([path])).text).toHaveLength(limits.specBytes)
  })
})

describe('a spec is refused', () => {
  test.each(['missing.md', 'docs/missing', 'missing'])('when there is no file %s', async (name) => {
    await expect(read([name])).rejects.toMatchObject(refused(new RegExp(`^There is no file ${name}\\.$`)))
  })

  test('when it is a folder, empty, blank, binary, not UTF-8, or too large', async () => {
    await expect(read([folder])).rejects.toMatchObject(refused(/is a folder/))
    for (const text of ['', ' \n\t\n', '\ufeff']) {
      await expect(read([await file('blank.md', text)])).rejects.toMatchObject(refused(/blank\.md\) is empty/))
    }
    await expect(read(['  '])).rejects.toMatchObject(refused(/is empty/))
    const binaries = [Uint8Array.of(0x89, 0x50, 0, 1), Uint8Array.of(0x61, 0xff, 0xfe), Buffer.from('a\0b')]
    for (const bytes of binaries) {
      await expect(read(['-'], bytes)).rejects.toMatchObject(refused(/\(stdin\) is not UTF-8 text/))
    }
    const large = 'x'.repeat(limits.specBytes + 1)
    await expect(read([await file('large.md', large)])).rejects.toMatchObject(refused(/larger than 1\.0 MiB/))
    await expect(read(['-'], large)).rejects.toMatchObject(refused(/larger than 1\.0 MiB/))
    await expect(read([large.replace('xx', 'x x')])).rejects.toMatchObject(refused(/larger than 1\.0 MiB/))
  })

  test('when nothing is named at a terminal, instead of waiting for it', async () => {
    await expect(read([])).rejects.toMatchObject(refused(/There is no spec/))
  })

  test('that never seems to end, as soon as it is too large', async () => {
    let given = 0
    const endless = Readable.from(
      (function* () {
        while (given < 8 * limits.specBytes) {
          given += 65_536
          yield Buffer.alloc(65_536, 'x')
        }
      })(),
    )
    const from = { terminal: { stdin: () => endless }, output: { note: () => {} } }
    await expect(readSpec(from, ['-'])).rejects.toMatchObject(refused(/larger than/))
    expect(given).toBeLessThan(4 * limits.specBytes)
  })
})

describe('on the command line', () => {
  let fixture: MemoryFixture

  beforeAll(async () => {
    fixture = await createMemoryFixture()
  })

  afterAll(() => fixture.remove())

  test('a refused spec or plan is exit code 2, says what to do, and stores nothing', async () => {
    const plan = await file('plan.json', '{ "stories": [] }')
    for (const args of [['run', 'missing.md'], ['plan', ''], ['run'], ['run', 'say new', '--plan', plan]]) {
      const done = await fixture.drydock(...args, '--json')
      expect(done.exitCode, args.join(' ')).toBe(2)
      expect(done.events).toEqual([
        { type: 'error', code: 'bad_usage', message: expect.any(String), todo: expect.any(String) },
      ])
    }
    expect(await fixture.machine.store.pendingCommands()).toEqual([])
    expect((await fixture.drydock('status', '--json')).stdout).toBe('')
  })

  test('a plan is not written over a file that is there', async () => {
    const path = await file('edited.json', '{}')
    const done = await fixture.drydock('plan', 'say new', '--output', path)
    expect(done).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('already exists') })
  })
})
