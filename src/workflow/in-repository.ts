import { DrydockError } from '../domain/drydock-error.ts'

/** An error of a further repository says which one it is. */
export async function inRepository<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    const message = `In the repository ${path}, which the spec names: ${error.message}`
    throw new DrydockError(error.code, message, { todo: `There: ${error.todo}`, cause: error })
  }
}
