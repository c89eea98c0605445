import { href } from '../router.ts'
import { forOperators } from './for-operators.tsx'
import { Icon } from './icon.tsx'

interface StartLinkProps {
  readonly title: string
  /** True for a button next to a more important one. */
  readonly quiet?: boolean
}

/** Leads to where work is started. */
export const StartLink = forOperators(function StartLink({ title, quiet = false }: StartLinkProps) {
  return (
    <a className={quiet ? 'button' : 'button primary'} href={href('start')}>
      {!quiet && <Icon name="start" />}
      {title}
    </a>
  )
})
