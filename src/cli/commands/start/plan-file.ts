import { readFile, stat, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { usage } from '../../../app/usage.ts'
import type { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { NamedRepository } from '../../../domain/run/repository.ts'
import { sentence } from '../../../domain/sentence.ts'
import { problemsOf } from '../../../domain/story/plan-problems.ts'
import { type PlannedStory, storyIdPattern, storyIdRule } from '../../../domain/story/planned-story.ts'

const text = z.string().max(limits.specBytes)

const story = z.strictObject({
  id: z.string().regex(storyIdPattern, storyIdRule),
  title: text.min(1),
  content: text.default(''),
  acceptance_criteria: z.array(text),
  depends_on: z.array(z.string()).default([]),
  files_hint: z.array(text).default([]),
  repository: text.min(1).exactOptional(),
  edited_by: text.min(1).exactOptional(),
})

const planFile = z.strictObject({ version: text.exactOptional(), stories: z.array(story).max(limits.stories) })

/** The stories of a file. `version` names the plan that they were made from; null for none. */
export interface PlanFile {
  readonly version: string | null
  readonly stories: readonly PlannedStory[]
}

/**
 * The stories of a file that `drydock plan --output` wrote and a person may have edited. Throws
 * DrydockError `bad_usage`, which names the file and what is wrong.
 */
export async function readPlan(file: string): Promise<readonly PlannedStory[]> {
  const { stories } = await readPlanFile(file)
  const problems = problemsOf(stories, namedBy(stories))
  if (problems.length > 0) throw wrong(file, problems)
  return stories
}

/** Reads a plan file with its version. Does not check whether the stories can be built. */
export async function readPlanFile(file: string): Promise<PlanFile> {
  const given = parse(file, await contentOf(file))
  const parsed = planFile.safeParse(Array.isArray(given) ? { stories: given } : given)
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${place(given, path)}: ${message}`)
    throw wrong(file, issues)
  }
  const { version = null, stories } = parsed.data
  return { version, stories }
}

/**
 * The repositories that stories name. They are compared with the spec's repositories later, once
 * the spec is read.
 */
function namedBy(stories: readonly PlannedStory[]): readonly NamedRepository[] {
  return stories.flatMap(({ repository: name }) => (name === undefined ? [] : [{ name, path: '' }]))
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw usage(
      `The plan ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
      'Make one: drydock plan <spec> --output FILE',
    )
  }
}

function parse(file: string, content: string): unknown {
  try {
    return JSON.parse(content.replace(/^\ufeff/, ''))
  } catch (error) {
    throw wrong(file, [`no JSON: ${error instanceof Error ? error.message : error}`])
  }
}

/** The place of a schema issue, with the id of its story if it has one. */
function place(given: unknown, path: readonly PropertyKey[]): string {
  const list = Array.isArray(given) ? given : (given as { stories?: readonly { id?: unknown }[] } | null)?.stories
  const index = path.find((part) => typeof part === 'number')
  const id = index === undefined ? undefined : list?.[index]?.id
  const where = path.map(String).join('.') || 'the top level'
  return typeof id === 'string' ? `${where} (story "${id}")` : where
}

function wrong(file: string, problems: readonly string[]): DrydockError {
  return usage(
    sentence`The plan ${file} cannot be built: ${problems.join('; ')}.`,
    'Correct the file and run it again.',
  )
}

/** Refuses an existing file, since a person may have edited it. */
export async function refuseExisting(file: string): Promise<void> {
  if ((await stat(file).catch(() => null)) === null) return
  throw usage(`${file} already exists.`, 'Name another file for --output, or remove this one.')
}

export async function writePlan(file: string, { version, stories }: PlanFile): Promise<void> {
  const content = { ...(version !== null && { version }), stories }
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx' })
}
