import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../../../domain/limits.ts'
import type { TestReport } from '../../../domain/verification/test-results.ts'
import { testsThatRan } from '../../../domain/verification/test-results.ts'
import type { VerifierResponse } from '../../../domain/verification/verdict.ts'
import type { Installation } from '../../installation.ts'
import type { FailedTest } from '../../text/ci/annotations.ts'
import type { StepTests } from '../../text/ci/junit.ts'

/**
 * The tests of a verification, by step. Empty unless the verifier read a report: only then did the
 * verifier write the list, and not a step.
 */
export async function readStepTests(
  drydock: Pick<Installation, 'artifacts'>,
  response: VerifierResponse,
): Promise<StepTests> {
  if (response.manifest?.tests === undefined) return {}
  const file = join(drydock.artifacts, 'runs', response.run_id, 'logs', 'tests.json')
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    const found = await handle.stat()
    if (!found.isFile() || found.size > limits.ci.testListBytes) return {}
    return JSON.parse(await handle.readFile('utf8'))
  } catch {
    // The file only informs people; the verdict in the response does not need it.
    return {}
  }
}

/** The tests that failed, each with its file if `head` has a file of that name. */
export async function failedTests(
  drydock: Pick<Installation, 'userRepository'>,
  head: string,
  tests: StepTests,
): Promise<readonly FailedTest[]> {
  const reports = Object.values(tests).filter((report): report is TestReport => report !== null)
  const failed = reports.flatMap(testsThatRan).filter(({ outcome }) => outcome === 'failed')
  const paths = [...new Set(failed.map(({ id }) => id.split(' > ')[0] ?? ''))].filter(isPath).slice(0, limits.ci.listed)
  const found = await drydock.userRepository.filesAt(head, paths, 1)
  const here = new Set(paths.filter((_path, i) => typeof found[i] === 'object'))
  return failed.map(({ id, failure }) => {
    const file = id.split(' > ')[0] ?? ''
    return { id, ...(failure !== undefined && { failure }), file: here.has(file) ? file : null }
  })
}

function isPath(text: string): boolean {
  return /^[^/\0\n][^\0\n]*$/.test(text) && !text.split('/').includes('..') && text.length < 1_000
}
