import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../../domain/backoff.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { sentence } from '../../../domain/sentence.ts'
import type { Git, GitOptions } from '../git.ts'

/** Where a hub is, and who asks. */
export interface ControlPlace {
  /**
   * Addresses of the control repository, without a token: `https://hub.example/git`. The first is
   * asked.
   */
  readonly urls: () => readonly string[]
  readonly token: string
  /** The name under which this worker offers its slots. */
  readonly host: string
}

/** How a push to one ref came out. */
export type Pushed = 'there' | 'taken'

/** Git at the hub. Throws DrydockError `hub_unreachable`, `hub_refused`. */
export interface HubRemote {
  /** False when the hub does not have one of the objects that are asked for by their ids. */
  fetch(refspecs: readonly string[], options: Options & { readonly prune?: boolean }): Promise<boolean>
  /** `taken`: the ref is there and keeps another commit. */
  push(
    change: { readonly ref: string; readonly sha: string; readonly replaces: boolean },
    options: Options,
  ): Promise<Pushed>
  /** The ids that branches of the hub point to. */
  branchTips(): Promise<readonly string[]>
}

type Options = Pick<GitOptions, 'gitDir' | 'spawned'> & { readonly settings?: readonly string[] }

/**
 * Settings of git, as variables, that only the hub is answered with. Neither command lines nor
 * files have the token, and no other server is sent it.
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

/** `git` must have the settings of `urls`. Once `closing` is aborted, nothing is tried any more. */
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
          ...{ ...options, signal: closing, exits: [1] },
        })
        if (code === 0) return 'there'
        const lines = stdout.toString('utf8').split('\n')
        const line = lines.find((each) => each.startsWith('!'))
        // A hub that refuses says so of the ref. It may even have taken it, and is asked again.
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

/** Tries again while only the way to the hub, or its hurry, is the reason. */
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
    ...['Could not resolve', "[Cc]ouldn't connect", 'Failed to connect', '[Cc]onnection', 'timed? ?out', 'too slow'],
    ...['returned error: (?:408|429|5\\d\\d)', 'HTTP (?:408|429|5\\d\\d)', 'RPC failed', 'Empty reply'],
    ...[
      'hung up unexpectedly',
      'unexpected disconnect',
      'early EOF',
      'transfer closed',
      'Recv failure',
      'Send failure',
    ],
    ...['SSL_', 'GnuTLS', 'expected flush after', 'bad line length', 'invalid index-pack output'],
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
