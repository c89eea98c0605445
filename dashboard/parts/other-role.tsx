import { Empty } from './notice.tsx'

/**
 * Shown in place of a page that the person's role does not permit, since anybody may know its
 * address.
 */
export function OtherRole({ needs }: { readonly needs: 'operator' | 'admin' }) {
  return (
    <div className="page narrow">
      <Empty icon="key" title="Not for your role">
        <p>This page needs the role {needs}. An admin of this hub can give it to you.</p>
      </Empty>
    </div>
  )
}
