import { DrydockError } from '../domain/drydock-error.ts'

/** Adds the repository's name to an error of a further repository. */
export async function inRepository<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    const message = `In the repository ${path}, which the spec names: ${error.message}`
    const isGone = error.code === 'not_a_repository'
    const todo = isGone ? 'Put it back where it was, then: drydock resume' : `There: ${error.todo}`
    throw new DrydockError(error.code, message, { todo, cause: error })
  }
}
