import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { startWireServer } from '../wire/wire-server.ts'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { greenLanes, plan } from './world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const fileOf = () => join(fixture.folder, 'run.recording.json')
const recorded = async () => JSON.parse(await readFile(fileOf(), 'utf8'))

async function configureProvider(wire: object): Promise<void> {
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify({ providers: { wire } }))
}

describe('a task', () => {
  test('that is stopped with Ctrl-C is recorded as far as it came', async () => {
    let asked = (): void => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const server = await startWireServer((_, number) => {
      if (number === 1) return plan()
      asked()
      return { fault: 'hang' }
    })
    onTestFinished(() => server.close())
    fixture = await createFixture()
    await configureProvider({ kind: 'openai-compatible', baseURL: `${server.origin}/v1` })
    const args = ['task', 'say new', '--model', 'wire:coder', '--json', '--record', fileOf()]
    const running = fixture.launch(args)
    await isAsked
    running.kill('SIGINT')
    const { exitCode, stderr } = await running.ended
    expect({ exitCode, recorded: stderr.includes('Recorded 1 turn ') }).toEqual({ exitCode: 130, recorded: true })
    expect((await recorded()).lanes).toEqual({ 'editor/task/PLANNING': greenLanes['editor/task/PLANNING'] })
  })
})
