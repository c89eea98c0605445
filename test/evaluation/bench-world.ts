import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AttemptRecord } from '../../src/domain/bench/attempt-record.ts'
import {
  type CommandResult,
  createFixture,
  type Fixture,
  type FixtureOptions,
  passWhenNew,
  runHere,
} from '../scenarios/world/fixture.ts'

/** A repository whose hidden test requires value.txt to say "new", with a suite for it. */
export interface BenchWorld extends Fixture {
  readonly suite: string
  readonly out: string
  /** The only task of the suite, valid in every field. */
  readonly task: Readonly<Record<string, unknown>>
  /** Writes these tasks as suite.json. */
  suiteOf(...tasks: readonly object[]): Promise<void>
  bench(...args: readonly string[]): Promise<CommandResult>
  records(): Promise<readonly AttemptRecord[]>
}

export const hiddenWord = ['HIDDEN', 'CANARY'].join('_')

export async function createBenchWorld(options: FixtureOptions = {}): Promise<BenchWorld> {
  const fixture = await createFixture(options)
  onTestFinished(() => fixture.remove())
  const suite = join(fixture.folder, 'suite')
  const out = join(fixture.folder, 'out')
  const task = {
    id: 'say-new',
    repo: '../repo',
    base: 'main',
    spec: 'spec.md',
    mode: 'task',
    config: 'config.json',
    hidden: { files: { 'hidden/check.sh': 'check.sh' }, command: 'sh hidden/check.sh' },
    timeout_sec: 120,
    gold: { files: { 'value.txt': 'new.txt' } },
  }
  const world: BenchWorld = {
    ...fixture,
    suite,
    out,
    task,
    suiteOf: (...tasks) => writeFile(join(suite, 'suite.json'), JSON.stringify({ tasks })),
    bench: (...args) => runHere(['bench', suite, '--out', out, ...args], fixture.env),
    async records() {
      const folder = join(out, 'attempts')
      const texts = (await readdir(folder)).toSorted().map((name) => readFile(join(folder, name), 'utf8'))
      return (await Promise.all(texts)).map((text) => JSON.parse(text))
    },
  }
  await writeIn(suite, {
    'spec.md': '# Say new\n\nvalue.txt must say new.\n',
    'new.txt': 'new\n',
    // The gate's other checks are not tested here, and would take time.
    'config.json': JSON.stringify({ ...options.config, verification: { steps: [passWhenNew], assurance: 'fast' } }),
    'check.sh': `# ${hiddenWord}\ngrep -qx new value.txt\n`,
  })
  await world.suiteOf(task)
  return world
}

export async function writeIn(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}
