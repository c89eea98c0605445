import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { StoryTests } from '../../src/api/acceptance.ts'
import type { Chat } from '../../src/api/chat.ts'
import type { Choices } from '../../src/api/choices.ts'
import type { Figures } from '../../src/api/figures.ts'
import type { Machines } from '../../src/api/machines.ts'
import type { Report, RunDetail, RunList } from '../../src/api/runs.ts'
import type { Schedule } from '../../src/api/schedule.ts'
import type { Settings } from '../../src/api/settings.ts'
import type { Diff, StoryDetail } from '../../src/api/stories.ts'
import type { FileList, Log, Verification, VerificationList } from '../../src/api/verifications.ts'
import { apiPath, get } from './client.ts'
import { may } from './may.ts'

/** Names of what is asked for: what an event makes stale is found by them. */
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
  /** Of all Runs: one that follows another works on what is said about that. */
  remarks: ['remarks'],
} as const

export const useRuns = () =>
  useQuery({ queryKey: keys.runs, queryFn: ({ signal }) => get<RunList>(apiPath('runs'), signal) })

export const useRun = (run: string) =>
  useQuery({ queryKey: keys.run(run), queryFn: ({ signal }) => get<RunDetail>(apiPath('runs', run), signal) })

/** With null nothing is asked for. */
export const useStory = (run: string, story: string | null) =>
  useQuery({
    queryKey: keys.story(run, story ?? ''),
    queryFn: ({ signal }) => get<StoryDetail>(apiPath('runs', run, 'stories', story ?? ''), signal),
    enabled: story !== null,
  })

/** The tests that its editor does not see: asked for when somebody wants to read them. */
export const useStoryTests = (run: string, story: string) =>
  useQuery({
    queryKey: [...keys.story(run, story), 'tests'],
    queryFn: ({ signal }) => get<StoryTests>(apiPath('runs', run, 'stories', story, 'acceptance'), signal),
  })

/** Two commits in place of the usual ones; null for those. */
export interface Compared {
  readonly from: string | null
  readonly to: string | null
}

interface DiffAsked extends Compared {
  /** Names what it is of: another one is asked for. */
  readonly version: string | null | undefined
}

/** Of a story, or with null of all that the Run has merged. */
export const diffQuery = (run: string, story: string | null, { version, from, to }: DiffAsked) =>
  queryOptions({
    queryKey: [...keys.diff(run, story), to === null ? version : null, from, to],
    queryFn: ({ signal }) => {
      const path = story === null ? apiPath('runs', run, 'diff') : apiPath('runs', run, 'stories', story, 'diff')
      const asked = new URLSearchParams({ ...(from !== null && { from }), ...(to !== null && { to }) }).toString()
      return get<Diff>(asked === '' ? path : `${path}?${asked}`, signal)
    },
  })

/** The last one stays on screen until another has come. With no version nothing is asked for. */
export const useDiff = (run: string, story: string | null, asked: DiffAsked) =>
  useQuery({
    ...diffQuery(run, story, asked),
    placeholderData: keepPreviousData,
    enabled: asked.version !== undefined,
  })

/** Names all that a Run has merged, or that its only story has changed. */
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

/** One that has ended never changes. */
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

/** What is kept of them can be removed at any time. */
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

/** Files say it, and no event tells when they change: asked for each time that it is looked at. */
export const useSettings = () =>
  useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => get<Settings>(apiPath('settings'), signal),
    staleTime: 0,
    enabled: may('admin'),
  })

/** Git and providers say it, and no event tells when they change. */
export const useChoices = () =>
  useQuery({
    queryKey: ['choices'],
    queryFn: ({ signal }) => get<Choices>(apiPath('choices'), signal),
    staleTime: 0,
    enabled: may('operator'),
  })
