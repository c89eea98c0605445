import type { GateDependencies } from '../../gate/dependencies.ts'
import type { Publisher } from '../../ports/publisher.ts'
import type { Receipts } from '../../ports/receipts.ts'
import type { UserRepository } from '../../ports/user-repository.ts'
import type { StepDependencies } from '../step-dependencies.ts'

/** The parts that make a commit for the user. */
export interface CommitDependencies
  extends Pick<StepDependencies, 'store' | 'clock'>,
    Pick<GateDependencies, 'history'> {
  readonly userRepository: UserRepository
  /** The user's trailers, for each commit that Drydock hands over. */
  readonly trailers: readonly string[]
}

/** The parts that publish a commit to a branch of the user, with its receipt. */
export interface PublishDependencies extends CommitDependencies {
  readonly publisher: Publisher
  readonly receipts: Receipts
}
