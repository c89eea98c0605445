import type { Finish } from '../../../src/api/finish.ts'
import { Copy } from '../../parts/copy.tsx'

/** A Run over several repositories has a branch in each, and no single step lands them all. */
export function ByHand({ repositories }: { readonly repositories: NonNullable<Finish['repositories']> }) {
  const built = repositories.filter(({ branch }) => branch !== null)
  return (
    <div className="finish-section">
      <h3>Merge it in each repository</h3>
      <p className="sub">
        This run is over several repositories, and a landing here moves one branch. Merge or push each with git. Every
        commit has its receipt in its own repository.
      </p>
      <ul className="finish-ways">
        {built.map(({ name, command }) => (
          <li key={name}>
            <strong>{name}</strong>
            <Copy text={command} />
          </li>
        ))}
      </ul>
      {built.length === 0 && <p>Nothing was changed in any of them.</p>}
    </div>
  )
}
