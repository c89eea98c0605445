import { join } from 'node:path'
import type { VerificationRow } from '../../../src/ports/rows.ts'
import { withRecords } from './crew-script.ts'
import type { Fixture } from './fixture.ts'

export const branch = 'drydock/make-the-files'

export interface LandedMerge {
  readonly sha: string
  readonly parents: string
  readonly story: string
  readonly verifiedBy: string
  readonly reviewedBy: string
  /** The verification that `Verified-By` names; null if there is none. */
  readonly verification: Pick<VerificationRow, 'status' | 'commitSha'> | null
}

/**
 * The commits on the run branch since main, oldest first, each with the verification in its
 * trailer.
 */
export function landedOn(fixture: Fixture, ref: string = branch): Promise<readonly LandedMerge[]> {
  return withRecords(fixture, async (records) => {
    const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=%x2C)`
    const format = ['%H', '%P', ...['Drydock-Story', 'Verified-By', 'Reviewed-By'].map(trailer)].join('%x09')
    const log = await fixture.git('log', '--reverse', `--format=${format}`, `main..${ref}`)
    return Promise.all(
      log.split('\n').map(async (line) => {
        const [sha = '', parents = '', story = '', verifiedBy = '', reviewedBy = ''] = line.split('\t')
        const row = await records.verification(verifiedBy)
        const verification = row && { status: row.status, commitSha: row.commitSha }
        return { sha, parents, story, verifiedBy, reviewedBy, verification }
      }),
    )
  })
}

/** Reads a verification's commit with git from Drydock's own mirror. */
export async function inMirror(fixture: Fixture, ...args: readonly string[]): Promise<string> {
  const { state } = await fixture.open()
  return fixture.git('--git-dir', join(state, 'mirror.git'), ...args)
}

/** Everything in the user's repository that a Run must not change. */
export async function userState(fixture: Fixture) {
  const [head, status, index, refs, config] = await Promise.all([
    fixture.git('symbolic-ref', 'HEAD'),
    fixture.git('status', '--porcelain', '--ignored'),
    fixture.git('ls-files', '--stage'),
    fixture.git('for-each-ref', '--format=%(refname) %(objectname)'),
    fixture.git('config', '--local', '--list'),
  ])
  const others = refs.split('\n').filter((line) => !/^refs\/(?:heads\/drydock\/|notes\/drydock )/.test(line))
  return { head, status, index, others, config }
}
