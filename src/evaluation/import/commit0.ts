import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { shellWord } from '../../app/text/shell-word.ts'
import { parsedJson } from '../../domain/json.ts'
import { type Git, gitIn } from '../git.ts'
import { cloneName, openClone } from './clones.ts'
import { ImportCollection, type Importing, type ImportResult } from './imported.ts'
import { pythonOf } from './runner-command.ts'

const timeoutSec = 28_800

/** A row of the dataset; its other fields are not needed. */
const row = z.object({
  instance_id: z.string().min(1),
  repo: z.string().min(1),
  base_commit: z.string().min(1),
  reference_commit: z.string().min(1),
  test: z.object({ test_cmd: z.string().min(1), test_dir: z.string().min(1) }),
  src_dir: z.string().min(1),
})

type Row = z.output<typeof row>

/**
 * Imports Commit0: the dataset as JSON or JSON lines in the checkout, and the clones that `commit0
 * setup` makes below `repos`. Each library becomes one spec.
 */
export async function importCommit0(importing: Importing): Promise<ImportResult> {
  const collection = new ImportCollection()
  for (const each of await readRows(importing.checkout)) await importLibrary(importing, collection, each)
  return collection
}

/** The rows of all dataset files at the top of the checkout, each library once. */
async function readRows(checkout: string): Promise<readonly Row[]> {
  const names = (await readdir(checkout).catch(() => [])).filter((name) => /\.jsonl?$/.test(name))
  const texts = await Promise.all(names.toSorted().map((name) => readFile(join(checkout, name), 'utf8')))
  const rows = texts.flatMap(jsonValues).flatMap((value) => {
    const parsed = row.safeParse(value)
    return parsed.success ? [parsed.data] : []
  })
  return [...new Map(rows.map((each) => [each.instance_id, each])).values()]
}

function jsonValues(text: string): readonly unknown[] {
  const whole = parsedJson(text)
  if (whole !== undefined) return [whole].flat()
  return text.split('\n').flatMap((line) => parsedJson(line) ?? [])
}

async function importLibrary(importing: Importing, collection: ImportCollection, library: Row): Promise<void> {
  const { repo, base_commit, reference_commit, test, src_dir } = library
  const id = library.instance_id.replaceAll('/', '__')
  const clone = await openClone(importing, collection, { name: cloneName(repo), commit: base_commit, configName: id })
  if (typeof clone === 'string') return collection.skip(id, clone)
  const git = gitIn(clone.source.path, importing.path)
  const tests = await testFiles(git, { id, library, collection }).catch(() => null)
  if (tests === null)
    return collection.skip(id, `${clone.source.path} has no commit ${reference_commit}; fetch it there`)
  if (Object.keys(tests).length === 0)
    return collection.skip(id, `its reference commit has no files below ${test.test_dir}`)
  const range = ['diff', '--binary', '--no-color', clone.source.commit, reference_commit]
  const gold = await git([...range, '--', '.', `:(exclude)${test.test_dir}`])
  collection.tasks.push({
    id,
    repo: clone.source.path,
    base: clone.source.commit,
    mode: 'run',
    timeout_sec: timeoutSec,
    spec: collection.file(`specs/${id}.md`, specOf(cloneName(repo), { src_dir, test_dir: test.test_dir })),
    config: clone.config,
    hidden: { files: tests, command: pythonOf(`${test.test_cmd} ${shellWord(test.test_dir)}`) },
    ...(gold !== '' && { gold: { patch: collection.file(`gold/${id}.patch`, `${gold}\n`) } }),
  })
}

interface Testing {
  readonly id: string
  readonly library: Row
  readonly collection: ImportCollection
}

/** The tests of the reference commit, which replace the agents' versions. */
async function testFiles(git: Git, { id, library, collection }: Testing): Promise<Record<string, string>> {
  const { reference_commit, test } = library
  const listed = await git(['ls-tree', '-r', '-z', '--name-only', reference_commit, '--', test.test_dir])
  const files: Record<string, string> = {}
  for (const path of listed.split('\0').filter((name) => /\.(?:py|ini|cfg|toml|json|txt)$/.test(name)))
    files[path] = collection.file(`hidden/${id}/${path}`, `${await git(['show', `${reference_commit}:${path}`])}\n`)
  return files
}

function specOf(name: string, { src_dir, test_dir }: { readonly src_dir: string; readonly test_dir: string }): string {
  return [
    `# Complete ${name}`,
    '',
    `The functions and methods below \`${src_dir}\` have signatures and documentation, but their bodies are missing.`,
    'Write every one of them, so that the library does what its documentation and its tests say.',
    '',
    `- All tests below \`${test_dir}\` pass. Do not change them.`,
    '- Names, signatures and documentation stay as they are.',
    '',
  ].join('\n')
}
