import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../../domain/backoff.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { sentence } from '../../../domain/sentence.ts'
import type { Git, GitOptions } from '../git.ts'

/** The addresses of a hub, and the worker's token and name. */
export interface ControlPlace {
  /**
   * Addresses of the control repository, without a token: `https://hub.example/git`. The first one
   * is used.
   */
  readonly urls: () => readonly string[]
  readonly token: string
  /** The name under which this worker offers its slots. */
  readonly host: string
}

/** The result of a push to one ref. */
export type PushResult = 'there' | 'taken'

/** Git commands against the hub. Throws DrydockError `hub_unreachable` or `hub_refused`. */
export interface HubRemote {
  /** Returns false if the hub lacks one of the objects that are requested by id. */
  fetch(refspecs: readonly string[], options: Options & { readonly prune?: boolean }): Promise<boolean>
  /** `taken`: the ref exists and keeps another commit. */
  push(
    change: { readonly ref: string; readonly sha: string; readonly replaces: boolean },
    options: Options,
  ): Promise<PushResult>
  /** The ids that branches of the hub point to. */
  branchTips(): Promise<readonly string[]>
}

type Options = Pick<GitOptions, 'gitDir' | 'spawned'> & { readonly settings?: readonly string[] }

/**
 * Environment settings with the token, which git sends only to the hub. The token appears neither
 * in command lines nor in files.
 */
export function controlSettings({ urls, token, host }: ControlPlace): Record<string, string> {
  const settings = [
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', `${Math.round(limits.hub.git.idleMs / 1_000)}`],
    ...urls().flatMap((url) => [
      [`http.${url}.extraHeader`, `Authorization: Bearer ${token}`] as const,
      [`http.${url}.extraHeader`, `Drydock-Host: ${host}`] as const,
    ]),
  ] as const
  const named = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return { ...Object.fromEntries(named), GIT_CONFIG_COUNT: String(settings.length) }
}

/** `git` must have the settings of `urls`. After `closing` is aborted, nothing is retried. */
export function createHubRemote(
  git: Git,
  { urls, closing }: Pick<ControlPlace, 'urls'> & { readonly closing: AbortSignal },
): HubRemote {
  const url = () => urls()[0] ?? ''
  const quiet = ['--quiet', '--no-auto-maintenance', '--no-write-fetch-head', '--no-recurse-submodules', '--no-tags']
  return {
    fetch: (refspecs, { settings = [], prune = false, ...options }) =>
      untilReached(closing, async () => {
        const args = [...settings, 'fetch', ...quiet, '--update-shallow', ...(prune ? ['--prune'] : [])]
        try {
          await git([...args, '--end-of-options', url(), ...refspecs], { ...options, signal: closing })
          return true
        } catch (error) {
          if (isFailure(error) && /not our ref|no such remote ref|couldn't find remote ref/i.test(error.message))
            return false
          throw error
        }
      }),

    push: ({ ref, sha, replaces }, { settings = [], ...options }) =>
      untilReached(closing, async () => {
        const args = [...settings, '-c', 'pack.compression=1', 'push', '--porcelain', '--no-verify', '--end-of-options']
        const { code, stdout } = await git([...args, url(), `${replaces ? '+' : ''}${sha}:${ref}`], {
          ...options,
          signal: closing,
          exits: [1],
        })
        if (code === 0) return 'there'
        const lines = stdout.toString('utf8').split('\n')
        const line = lines.find((each) => each.startsWith('!'))
        // A refusal names the ref. Without such a line the hub may even have accepted the push, so
        // the push is repeated.
        if (line === undefined) throw brokenOff(ref)
        if (/it is there already|already exists|fetch first|non-fast-forward|needs force/.test(line)) return 'taken'
        throw refused(url(), sentence`It was to take ${ref}: ${line.split('\t').at(-1) || 'it says no more'}.`)
      }),

    branchTips: () =>
      untilReached(closing, async () => {
        const { stdout } = await git(['ls-remote', '--quiet', '--heads', '--end-of-options', url()], {
          signal: closing,
        })
        return stdout
          .toString('latin1')
          .split('\n')
          .slice(0, -1)
          .map((line) => line.split('\t')[0] ?? '')
      }),
  }
}

const pauses = { firstPauseMs: 200, longestPauseMs: 2_000 }

/** Retries while the hub is unreachable or busy. */
async function untilReached<T>(closing: AbortSignal, once: () => Promise<T>): Promise<T> {
  const until = performance.now() + limits.hub.git.reachMs
  for (let failures = 1; ; failures += 1) {
    try {
      return await once()
    } catch (error) {
      if (!isFailure(error)) throw error
      if (isDenied(error.message)) throw refused('', error.message)
      if (!isPassing(error.message)) throw error
      const pause = backoffMs(pauses, failures, Math.random())
      if (performance.now() + pause > until) throw unreachable(error)
      await delay(pause, undefined, { signal: closing })
    }
  }
}

function isFailure(error: unknown): error is DrydockError {
  return error instanceof DrydockError && error.code === 'git_failed'
}

function isDenied(said: string): boolean {
  return /Authentication failed|could not read (?:Username|Password)|returned error: 40[13]|HTTP 40[13]/.test(said)
}

function isPassing(said: string): boolean {
  return passing.test(said)
}

const passing = new RegExp(
  [
    'Could not resolve',
    "[Cc]ouldn't connect",
    'Failed to connect',
    '[Cc]onnection',
    'timed? ?out',
    'too slow',
    'returned error: (?:408|429|5\\d\\d)',
    'HTTP (?:408|429|5\\d\\d)',
    'RPC failed',
    'Empty reply',
    'hung up unexpectedly',
    'unexpected disconnect',
    'early EOF',
    'transfer closed',
    'Recv failure',
    'Send failure',
    'SSL_',
    'GnuTLS',
    'expected flush after',
    'bad line length',
    'invalid index-pack output',
  ].join('|'),
)

function unreachable(cause: DrydockError): DrydockError {
  const minutes = limits.hub.git.reachMs / 60_000
  return new DrydockError('hub_unreachable', `The hub was not reached by git for ${minutes} minute. ${cause.message}`, {
    todo: 'Check that the hub runs and that the network reaches it. The work goes on where it was kept last.',
    cause,
  })
}

function brokenOff(ref: string): DrydockError {
  return new DrydockError('git_failed', `The connection ended before the hub had said whether it took ${ref}.`, {
    todo: 'The hub is asked again.',
  })
}

function refused(url: string, said: string): DrydockError {
  return new DrydockError('hub_refused', `The hub ${url} refused what git asked. ${said}`.replace(/ {2,}/g, ' '), {
    todo: 'Another host may have the story by now. Otherwise see the token and the lines of the hub: drydock hub token list',
  })
}
