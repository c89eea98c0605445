import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTask } from '../../src/cli/commands/start/task-intake.ts'
import { limits } from '../../src/domain/limits.ts'
import { type Fixture, greenLanes, resultOf } from '../scenarios/world/fixture.ts'
import { createMemoryFixture } from '../world/fixture.ts'

let fixture: Fixture

beforeAll(async () => {
  fixture = await createMemoryFixture()
})

afterAll(() => fixture.remove())

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(fixture.folder, name)
  await writeFile(path, content)
  return path
}

function read(words: readonly string[], { named, piped = '' }: { named?: string; piped?: string | Uint8Array } = {}) {
  return readTask({ terminal: { stdin: () => Readable.from([piped]) }, output: { note: () => {} } }, words, named)
}

const refused = (message: RegExp) => ({ code: 'bad_usage', message: expect.stringMatching(message) })

describe('the text of a task is', () => {
  test('an argument, piped input, or a file', async () => {
    expect(await read(['say', 'new'])).toBe('say new')
    expect(await read(['-'], { piped: 'say new\nin all files\n' })).toBe('say new\nin all files')
    expect(await read([], { named: await file('task.md', '\ufeffsay new\n') })).toBe('say new')
  })

  test('refused when it is given twice, missing, a folder, empty, binary or too large', async () => {
    const named = await file('task.md', 'say new')
    await expect(read(['say new'], { named })).rejects.toMatchObject(refused(/twice/))
    await expect(read([], { named: 'missing.md' })).rejects.toMatchObject(refused(/^There is no file missing\.md/))
    await expect(read([], { named: fixture.folder })).rejects.toMatchObject(refused(/is a folder/))
    await expect(read(['-'], { piped: ' \n' })).rejects.toMatchObject(refused(/The task \(stdin\) is empty/))
    await expect(read(['-'], { piped: 'a\0b' })).rejects.toMatchObject(refused(/is not UTF-8 text/))
    const large = await file('large.md', 'x'.repeat(limits.specBytes + 1))
    await expect(read([], { named: large })).rejects.toMatchObject(refused(/larger than 1\.0 MiB/))
  })
})

test('a task from a file is worked on as one that was said', async () => {
  const named = await file('task.md', 'say new\n')
  const model = await fixture.replay(greenLanes)
  const done = await fixture.drydock('task', '--file-text', named, '--model', model, '--json')
  expect(resultOf(done)).toMatchObject({ status: 'DONE', run: expect.stringMatching(/^say-new-/) })
})
