import { dataSection } from '../../agents/prompts/data-section.ts'
import type { GuideTexts } from '../../agents/prompts/guide-section.ts'
import { editorLimits } from '../../domain/lane/next-request.ts'
import { limits } from '../../domain/limits.ts'
import { agentNameOf } from '../../domain/model-name.ts'
import { besideStory } from '../../domain/run/repositories.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import { contextFolderOf } from '../../domain/story/context-folder.ts'
import type { Story } from '../../domain/story/story.ts'
import { capText, lastLines } from '../../domain/text.ts'
import type { Transaction } from '../../ports/store.ts'
import { openLane, type Prompt } from '../lane/open-lane.ts'
import { brief, contextSection, type Past, pastSection, planSection, withServices } from './prompts/story-brief.ts'

export interface EditorLane {
  readonly tx: Transaction
  readonly run: Run
  readonly story: Story
  readonly move: {
    readonly guide?: GuideTexts | null
    /** The diff of the change in the workspace. */
    readonly diff?: string
    readonly lastTail?: string | null
    /** The architect's notes on the plan. */
    readonly notes?: string | null
  }
}

/**
 * Opens a fresh lane for PLANNING; after a REPLAN or a retry its prompt tells the earlier attempts.
 */
export async function openPlanning({ tx, run, story, move }: EditorLane): Promise<Story> {
  return openEditorLane(tx, {
    run,
    story: counted(story),
    state: 'PLANNING',
    prompt: startPrompt({ run, story, move }),
  })
}

/** Opens a fresh lane for CODING with the plan. */
export async function openCoding({ tx, run, story, move }: EditorLane): Promise<Story> {
  const { data } = story
  const plan = data.plans.at(-1)
  if (!plan) throw new Error(`story ${story.id} has no plan`)
  const carried = move.diff
    ? `The workspace already holds this change of earlier attempts. Keep, change or undo it:\n${dataSection('diff', move.diff)}`
    : null
  const { guidance } = data
  const prompt: Prompt = (speak) =>
    join([
      briefOf(run, story, move.guide),
      planSection(plan),
      move.notes ?? null,
      carried,
      guidance && speak(guidance),
      contexts(story),
    ])
  return openEditorLane(tx, { run, story, state: 'CODING', prompt })
}

/** Opens a fresh lane for CODING without a plan; its prompt tells the earlier attempts, too. */
export async function openUnplanned({ tx, run, story, move }: EditorLane): Promise<Story> {
  return openEditorLane(tx, { run, story: counted(story), state: 'CODING', prompt: startPrompt({ run, story, move }) })
}

/** The story with its count of starts raised. */
function counted(story: Story): Story {
  const planning = story.data.planning + 1
  const failedPlans = planning > 1 ? story.data.plans.length : 0
  return { ...story, data: { ...story.data, planning, failedPlans } }
}

/** The task, and the earlier attempts. */
function startPrompt({ run, story, move }: Pick<EditorLane, 'run' | 'story' | 'move'>): Prompt {
  const { data } = story
  const planning = data.planning + 1
  const fresh = planning === 1 && data.retries === 0
  const past: Past | null = fresh
    ? null
    : {
        because: planning > 1 ? 'replan' : 'retry',
        plans: data.plans,
        hypotheses: data.hypotheses,
        verifications: data.attempts.map(({ runId, status }) => `${runId}: ${status}`),
        lastTail: move.lastTail ? capText(lastLines(move.lastTail, 80), 8_000) : null,
        diff: move.diff ?? '',
        guidance: data.guidance,
        stuckReport: planning === 1 ? data.stuckReport : null,
      }
  return (speak) => join([briefOf(run, story, move.guide), past && pastSection(past, speak), contexts(story)])
}

/** The prompt's section about context files; null if there are none yet. */
function contexts({ data }: Story): string | null {
  if (data.contextFiles === 0) return null
  return contextSection(data.contextPlace ?? { folder: contextFolderOf(data), problem: null })
}

interface Opening {
  readonly run: Run
  readonly story: Story
  readonly state: 'PLANNING' | 'CODING'
  readonly prompt: Prompt
}

async function openEditorLane(tx: Transaction, { run, story, state, prompt }: Opening): Promise<Story> {
  const { data } = story
  const { planningIterations, codingIterations, turnsWithoutProgress } = configOf(run)
  const suffix = data.planning > 1 ? `/${data.planning}` : ''
  const lane = await openLane(tx, {
    run: run.id,
    story: story.story,
    key: `editor/${data.name}/${state}${suffix}`,
    role: state === 'PLANNING' ? 'editor_planning' : 'editor_coding',
    parent: story.id,
    limits:
      state === 'PLANNING'
        ? editorLimits(planningIterations, turnsWithoutProgress, limits.idlePlanning)
        : editorLimits(codingIterations, turnsWithoutProgress, limits.idleCoding),
    prompt,
  })
  return tx.edit(story, { lane: lane.id })
}

function join(sections: readonly (string | null)[]): string {
  return sections.filter(Boolean).join('\n\n')
}

function briefOf(run: Run, story: Story, guide: GuideTexts | null = null): string {
  const { steps, prepare, services = [] } = configOf(run)
  // A foreign agent reads with its own tools, which see only one repository.
  const isForeign = agentNameOf(run.data.models?.editor ?? '') !== null
  const beside = isForeign ? [] : besideStory(run, story)
  const told = brief(story.data.task, { guide, steps, prepare, services, beside })
  return services.length === 0 ? told : `${told}\n\n${withServices}`
}

function configOf(run: Run): RunConfig {
  if (run.data.config === null) throw new Error(`run ${run.id} has not started`)
  return run.data.config
}
