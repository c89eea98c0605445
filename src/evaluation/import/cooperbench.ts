import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gitIn } from '../git.ts'
import { pathsOf } from '../suite/apply-change.ts'
import { type Clone, cloneName, openClone } from './clones.ts'
import { ImportCollection, type Importing, type ImportResult } from './imported.ts'
import { hiddenCommand } from './runner-command.ts'

/** Seconds for a pair of features, including hidden tests. */
const timeoutSec = 7_200

/**
 * Imports CooperBench: `dataset/<repository>/task<n>/feature<n>` with `feature.md`, `feature.patch`
 * and `tests.patch`. Each pair of a task's features becomes one spec.
 */
export async function importCooperbench(importing: Importing): Promise<ImportResult> {
  const { checkout } = importing
  const collection = new ImportCollection()
  const dataset = existsSync(join(checkout, 'dataset')) ? join(checkout, 'dataset') : checkout
  for (const repository of await foldersIn(dataset)) {
    for (const task of (await foldersIn(join(dataset, repository))).filter((name) => /^task\w+$/.test(name))) {
      await importTask(importing, collection, {
        folder: join(dataset, repository, task),
        name: `${repository}-${task}`,
      })
    }
  }
  return collection
}

interface TaskFolder {
  readonly folder: string
  readonly name: string
}

async function importTask(importing: Importing, collection: ImportCollection, task: TaskFolder): Promise<void> {
  const { folder, name } = task
  const [setup, runner] = await Promise.all([read(join(folder, 'setup.sh')), read(join(folder, 'runner.sh'))])
  const commit = /^\s*BASE_COMMIT=["']?([0-9a-f]{7,40})/m.exec(setup)?.[1]
  const url = /\bgit clone (?:-\S+ )*["']?(https?:\/\/[^\s"']+)/.exec(setup)?.[1]
  if (commit === undefined || url === undefined)
    return collection.skip(name, 'its setup.sh names no BASE_COMMIT or no `git clone`')
  const clone = await openClone(importing, collection, { name: cloneName(url), commit, configName: name })
  if (typeof clone === 'string') return collection.skip(name, clone)
  const features: Feature[] = []
  for (const feature of (await foldersIn(folder)).filter((each) => /^feature\d+$/.test(each))) {
    const part = await readFeature(importing, join(folder, feature), { runner, clone })
    if (typeof part === 'string') collection.skip(`${name}/${feature}`, part)
    else features.push({ ...part, id: feature.replace('feature', 'f') })
  }
  const gold = existsSync(join(folder, 'combined.patch'))
    ? collection.file(`gold/${name}.patch`, await readFile(join(folder, 'combined.patch')))
    : null
  for (const [at, first] of features.entries())
    for (const second of features.slice(at + 1)) addPair(collection, { name, clone, gold }, [first, second])
}

interface Feature {
  readonly id: string
  readonly text: string
  readonly tests: string
  readonly command: string
}

async function readFeature(
  { path }: Importing,
  folder: string,
  { runner, clone }: { readonly runner: string; readonly clone: Clone },
): Promise<Omit<Feature, 'id'> | string> {
  const [text, tests] = await Promise.all([read(join(folder, 'feature.md')), read(join(folder, 'tests.patch'))])
  if (text === '' || tests === '') return 'it has no feature.md or no tests.patch'
  const changed = await pathsOf(gitIn(clone.source.path, path), tests).catch(() => [])
  const command = hiddenCommand(runner, { tests, changed })
  return command === null ? 'no command that runs tests was found in runner.sh' : { text, tests, command }
}

function addPair(
  collection: ImportCollection,
  { name, clone, gold }: { readonly name: string; readonly clone: Clone; readonly gold: string | null },
  pair: readonly [Feature, Feature],
): void {
  const id = `${name}-${pair.map((feature) => feature.id).join('-')}`
  const spec = pair.map(({ text }, n) => `# Feature ${n + 1}\n\n${text.trim()}\n`).join('\n')
  collection.tasks.push({
    id,
    repo: clone.source.path,
    base: clone.source.commit,
    mode: 'run',
    timeout_sec: timeoutSec,
    spec: collection.file(`specs/${id}.md`, spec),
    config: clone.config,
    hidden: pair.map((feature) => ({
      patch: collection.file(`hidden/${name}-${feature.id}.patch`, feature.tests),
      command: feature.command,
    })),
    ...(gold !== null && { gold: { patch: gold } }),
  })
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return names.toSorted(new Intl.Collator('en', { numeric: true }).compare)
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
