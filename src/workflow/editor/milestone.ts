import type { Run } from '../../domain/run/run.ts'
import type { GivenReport } from '../../domain/scout/scout-report.ts'
import type { Milestone } from '../../domain/story/context-text.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import { stuckReport } from '../../domain/story/stuck-report.ts'
import type { ContextFile } from '../../ports/rows.ts'
import { scoutReports } from '../scout/scout-reports.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { keptCommit, keptFact, snapshotStory } from '../story/snapshot.ts'
import { contextFolder, writeContextFile } from './context-file.ts'

/**
 * A milestone of a story, prepared outside the transaction: its context file, and the story's data
 * after it.
 */
export interface PreparedMilestone {
  readonly data: StoryData
  readonly file: ContextFile
  /** The reason why the workspace could not be snapshotted; null if it was. */
  readonly refused: string | null
}

interface MilestoneInput {
  readonly run: Run
  readonly story: Story
  readonly milestone: Milestone
  /** The story data that the milestone itself has changed. */
  readonly data: Partial<StoryData>
  /** The scout's report that caused the milestone. */
  readonly report?: GivenReport
  /** True if the workspace goes to another story afterwards. */
  readonly setAside?: boolean
}

/** Snapshots the workspace and writes the context file of a milestone. */
export async function prepareMilestone(
  deps: StoryDependencies,
  { run, story, milestone, data: changed, report, setAside = false }: MilestoneInput,
  signal: AbortSignal,
): Promise<PreparedMilestone> {
  const snapshot = await snapshotStory(deps, story, signal, { why: `milestone: ${milestone}`, setAside })
  const data = { ...story.data, ...changed, ...(snapshot.ok && snapshot.data) }
  const [files, before, folder] = await Promise.all([
    data.snapshot ? deps.history.changedFiles(data.base, data.snapshot.sha) : [],
    scoutReports(deps.store, run.id, story.story ?? ''),
    contextFolder(deps, data),
  ])
  const { file, place } = await writeContextFile(
    deps,
    {
      run: run.id,
      story: story.story ?? '',
      milestone,
      data,
      files,
      folder,
      reports: report ? [...before, report] : before,
      readOnlyPaths: run.data.config?.sandbox.readOnlyPaths ?? [],
    },
    signal,
  )
  return {
    data: { ...data, contextFiles: file.n, contextPlace: place },
    file,
    refused: snapshot.ok || story.data.slot === null ? null : snapshot.reason,
  }
}

interface StuckInput {
  readonly run: Run
  readonly story: Story
  readonly data: Partial<StoryData>
  /** Last lines of the last failure's log. */
  readonly tail: string | null
}

/** Prepares the end of a story without DONE: its report, and all records that are kept. */
export async function prepareStuck(
  deps: StoryDependencies,
  { run, story, data, tail }: StuckInput,
  signal: AbortSignal,
): Promise<PreparedMilestone> {
  const setAside = run.data.policy.slot === 'story'
  const prepared = await prepareMilestone(deps, { run, story, milestone: 'stuck', data, setAside }, signal)
  const kept = await keptCommit(deps, prepared.data)
  return {
    ...prepared,
    data: {
      ...prepared.data,
      ...keptFact(kept, prepared.refused === null),
      stuckReport: stuckReport(prepared.data, { kept, refused: prepared.refused, tail }),
    },
  }
}
