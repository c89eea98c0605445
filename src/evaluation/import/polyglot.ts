import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { z } from 'zod'
import { ImportCollection, type Importing, type ImportResult } from './imported.ts'
import { type Language, languages } from './polyglot-languages.ts'

const timeoutSec = 1_800

/** `.meta/config.json` of an exercise. */
const metaSchema = z.object({
  files: z.object({
    solution: z.array(z.string()).min(1),
    test: z.array(z.string()).min(1),
    example: z.array(z.string()).default([]),
  }),
})

/** Folders of an exercise that reveal its solution, or are handled separately. */
const leftOut = /^\.(?:meta|docs|approaches|articles)\//

/**
 * Imports Aider's polyglot benchmark: `<language>/exercises/practice/<exercise>`, with its tests
 * and a reference solution beside the stub. Each exercise becomes one task.
 */
export async function importPolyglot({ checkout, config }: Importing): Promise<ImportResult> {
  const collection = new ImportCollection()
  for (const name of await namesIn(checkout)) {
    const exercises = join(checkout, name, 'exercises', 'practice')
    const found = await namesIn(exercises)
    const language = languages[name]
    if (found.length > 0 && language === undefined)
      collection.skip(name, `${found.length} exercises: their tests cannot run without a network`)
    for (const exercise of language === undefined ? [] : found)
      await importExercise(collection, { name, language, exercise, folder: join(exercises, exercise), config })
  }
  return collection
}

interface Exercise {
  readonly name: string
  readonly language: Language | undefined
  readonly exercise: string
  readonly folder: string
  readonly config: string | null
}

async function importExercise(collection: ImportCollection, { folder, exercise, ...given }: Exercise): Promise<void> {
  const { name, language, config } = given
  const id = `${name}-${exercise}`
  const meta = metaSchema.safeParse(await readMeta(folder))
  if (language === undefined || !meta.success)
    return collection.skip(id, 'its .meta/config.json does not name its solution and its tests')
  const { solution, test, example } = meta.data.files
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const tests = test.filter((path) => paths.includes(path))
  if (tests.length < test.length) return collection.skip(id, 'one of its tests is not there')
  for (const path of paths.filter((each) => !leftOut.test(each) && !tests.includes(each)))
    collection.file(`base/${id}/${path}`, await readFile(join(folder, path)))
  const enable = language.enable ?? ((text: string) => text)
  const hidden: Record<string, string> = {}
  for (const path of tests)
    hidden[path] = collection.file(`hidden/${id}/${path}`, enable(await readFile(join(folder, path), 'utf8')))
  const gold: Record<string, string> = {}
  for (const [from, to] of pairs(example, solution))
    if (paths.includes(from)) gold[to] = collection.file(`gold/${id}/${to}`, await readFile(join(folder, from)))
  const verification = `${JSON.stringify({ verification: language.verification }, null, 2)}\n`
  collection.tasks.push({
    id,
    repo: `base/${id}`,
    mode: 'task',
    timeout_sec: timeoutSec,
    spec: collection.file(`specs/${id}.md`, await specOf(folder, solution)),
    config: collection.file(`configs/${name}.json`, config ?? verification),
    hidden: { files: hidden, command: language.hidden(exercise, tests) },
    ...(Object.keys(gold).length > 0 && { gold: { files: gold } }),
  })
}

/** Null if it is missing or not JSON. */
async function readMeta(folder: string): Promise<unknown> {
  return readFile(join(folder, '.meta', 'config.json'), 'utf8')
    .then((text) => JSON.parse(text))
    .catch(() => null)
}

/** Pairs each part of the reference solution with the file of the same type that it replaces. */
function pairs(example: readonly string[], solution: readonly string[]): readonly (readonly [string, string])[] {
  const left = [...solution]
  return example.flatMap((from) => {
    const at = left.findIndex((to) => extname(to) === extname(from))
    return at < 0 ? [] : [[from, left.splice(at, 1)[0] ?? ''] as const]
  })
}

async function specOf(folder: string, solution: readonly string[]): Promise<string> {
  const names = ['introduction.md', 'instructions.md', 'instructions.append.md']
  const texts = names.map((name) => readFile(join(folder, '.docs', name), 'utf8').catch(() => ''))
  const told = (await Promise.all(texts)).filter((text) => text !== '').map((text) => text.trim())
  const files = solution.map((path) => `\`${path}\``).join(', ')
  const rules = `Write the solution in ${files}. Keep the names and signatures that are there. The tests are not shown to you.`
  return `${[...told, rules].join('\n\n')}\n`
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
}
