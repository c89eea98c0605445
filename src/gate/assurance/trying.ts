import type { FileKind } from '../../domain/gate/file-kind.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { ChangedFile } from '../../ports/history.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import type { FlakyTests } from './flaky-tests.ts'

/** A green change, its base, and their results: the input of each check. */
export interface Trying {
  readonly input: VerifyInput
  readonly folder: RunFolder
  readonly base: TreeTests
  readonly change: TreeTests
  readonly files: readonly ChangedFile[]
  /** The role of each path of the change for the gate. */
  readonly kindOf: (path: string) => FileKind
  /** Changed sources that apparently only tests load. */
  readonly likely: ReadonlySet<string>
  /** Steps whose commands compare results with changed data of tests. */
  readonly comparing: ReadonlySet<string>
  /** Ids of the base's tests that the change renamed. */
  readonly renamed?: ReadonlySet<string>
  readonly flaky: FlakyTests
}
