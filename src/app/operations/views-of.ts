import type { Drydock } from '../drydock.ts'
import type { Acting, Operation } from './operation.ts'
import type { Acts } from './operations.ts'
import type { views } from './read/views.ts'

/** All that commands show, by the names of its routes. */
export type Views = Pick<Acts, keyof typeof views>

/** The answer of a view. */
export type View<Name extends keyof Views> = Awaited<ReturnType<Views[Name]>>

/** The views for the user of this machine, of the state here or at the hub that keeps it. */
export async function viewsOf(drydock: Drydock): Promise<Views> {
  if (drydock.atHub !== null) return drydock.atHub.operations()
  const { views } = await import('./read/views.ts')
  // A view needs no more of those who act than the repository and the asker.
  const looking = { drydock, by: null } as Acting
  return Object.fromEntries(
    Object.entries(views).map(([name, view]) => [
      name,
      (input: never) => (view as Operation<never>).run(looking, input),
    ]),
  ) as unknown as Views
}

/** The id of the newest event of all Runs; 0 without one. */
export async function lastEvent({ news }: Pick<Views, 'news'>): Promise<number> {
  return (await news({ runs: '' })).after
}
