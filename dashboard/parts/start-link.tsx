import { href } from '../router.ts'
import { forOperators } from './for-operators.tsx'
import { Icon } from './icon.tsx'

/** Links to the page that starts work. */
export const StartLink = forOperators(function StartLink({ title }: { readonly title: string }) {
  return (
    <a className="button primary" href={href('start')}>
      <Icon name="start" />
      {title}
    </a>
  )
})
