import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { StoryTests } from '../../src/api/acceptance.ts'
import type { Chat } from '../../src/api/chat.ts'
import type { Figures } from '../../src/api/figures.ts'
import type { Machines } from '../../src/api/machines.ts'
import type { Report, RunDetail, RunList } from '../../src/api/runs.ts'
import type { Schedule } from '../../src/api/schedule.ts'
import type { Settings } from '../../src/api/settings.ts'
import type { Diff, StoryDetail } from '../../src/api/stories.ts'
import type { FileList, Log, Verification, VerificationList } from '../../src/api/verifications.ts'
import { apiPath, get } from './client.ts'
import { may } from './may.ts'

/** The keys of the queries, by which events find stale data. */
export const keys = {
  runs: ['runs'],
  repositories: ['repositories'],
  run: (run: string) => ['run', run],
  plan: (run: string) => ['plan', run],
  story: (run: string, story: string) => ['story', run, story],
  diff: (run: string, story: string | null) => ['diff', run, story ?? ''],
  timeline: (run: string, story: string | null) => ['timeline', run, story ?? ''],
  events: (run: string) => ['events', run],
  chat: (run: string) => ['chat', run],
  report: (run: string) => ['report', run],
  figures: (run: string) => ['figures', run],
  schedule: (run: string) => ['schedule', run],
  comparison: (a: string, b: string) => ['comparison', a, b],
  history: (run: string) => ['history', run],
  verifications: (run: string) => ['verifications', run],
  /** One key for all Runs, since a follow-up Run works on the remarks about an earlier one. */
  remarks: ['remarks'],
} as const

export const useRuns = () =>
  useQuery({ queryKey: keys.runs, queryFn: ({ signal }) => get<RunList>(apiPath('runs'), signal) })

export const useRun = (run: string) =>
  useQuery({ queryKey: keys.run(run), queryFn: ({ signal }) => get<RunDetail>(apiPath('runs', run), signal) })

/** Null disables the query. */
export const useStory = (run: string, story: string | null) =>
  useQuery({
    queryKey: keys.story(run, story ?? ''),
    queryFn: ({ signal }) => get<StoryDetail>(apiPath('runs', run, 'stories', story ?? ''), signal),
    enabled: story !== null,
  })

/** The tests that the editor does not see, fetched when somebody wants to read them. */
export const useStoryTests = (run: string, story: string) =>
  useQuery({
    queryKey: [...keys.story(run, story), 'tests'],
    queryFn: ({ signal }) => get<StoryTests>(apiPath('runs', run, 'stories', story, 'acceptance'), signal),
  })

/** Two commits to compare; null for the usual ones. */
export interface CommitPair {
  readonly from: string | null
  readonly to: string | null
}

interface DiffQuery extends CommitPair {
  /** Identifies the content, so that a change is fetched again. */
  readonly version: string | null | undefined
}

/** The diff of a story, or with null of everything that the Run has merged. */
export const diffQuery = (run: string, story: string | null, { version, from, to }: DiffQuery) =>
  queryOptions({
    queryKey: [...keys.diff(run, story), to === null ? version : null, from, to],
    queryFn: ({ signal }) => {
      const path = story === null ? apiPath('runs', run, 'diff') : apiPath('runs', run, 'stories', story, 'diff')
      const asked = new URLSearchParams({ ...(from !== null && { from }), ...(to !== null && { to }) }).toString()
      return get<Diff>(asked === '' ? path : `${path}?${asked}`, signal)
    },
  })

/**
 * The last diff stays on screen until the next arrives. Without a version the query is disabled.
 */
export const useDiff = (run: string, story: string | null, asked: DiffQuery) =>
  useQuery({
    ...diffQuery(run, story, asked),
    placeholderData: keepPreviousData,
    enabled: asked.version !== undefined,
  })

/** Identifies everything that a Run has merged, or the change of its only story. */
export function versionOf({ tip, stories, repositories }: RunDetail): string | null {
  const own = tip ?? stories[0]?.snapshot ?? null
  return repositories.length === 0 ? own : [own, ...repositories.map(({ sha }) => sha)].join()
}

export const useChat = (run: string) =>
  useQuery({ queryKey: keys.chat(run), queryFn: ({ signal }) => get<Chat>(apiPath('runs', run, 'chat'), signal) })

export const useReport = (run: string) =>
  useQuery({ queryKey: keys.report(run), queryFn: ({ signal }) => get<Report>(apiPath('runs', run, 'report'), signal) })

export const useFigures = (run: string) =>
  useQuery({
    queryKey: keys.figures(run),
    queryFn: ({ signal }) => get<Figures>(apiPath('runs', run, 'figures'), signal),
  })

export const useSchedule = (run: string) =>
  useQuery({
    queryKey: keys.schedule(run),
    queryFn: ({ signal }) => get<Schedule>(apiPath('runs', run, 'schedule'), signal),
  })

export const useVerifications = (run: string) =>
  useQuery({
    queryKey: keys.verifications(run),
    queryFn: ({ signal }) => get<VerificationList>(apiPath('runs', run, 'verifications'), signal),
  })

/** A finished verification never changes. */
export const useVerification = (runId: string) =>
  useQuery({
    queryKey: ['verification', runId],
    queryFn: ({ signal }) => get<Verification>(apiPath('verifications', runId), signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const useLog = (runId: string, step: string | null) =>
  useQuery({
    queryKey: ['log', runId, step ?? ''],
    queryFn: ({ signal }) =>
      get<Log>(
        `${apiPath('verifications', runId, 'log')}${step === null ? '' : `?step=${encodeURIComponent(step)}`}`,
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  })

/** The files may be removed at any time. */
export const useFiles = (runId: string) =>
  useQuery({
    queryKey: ['files', runId],
    queryFn: ({ signal }) => get<FileList>(apiPath('verifications', runId, 'files'), signal),
  })

export const useMachines = () =>
  useQuery({
    queryKey: ['machines'],
    queryFn: ({ signal }) => get<Machines>(apiPath('machines'), signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Settings come from files, whose changes cause no events, so they are fetched at each visit. */
export const useSettings = () =>
  useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => get<Settings>(apiPath('settings'), signal),
    staleTime: 0,
    enabled: may('admin'),
  })
