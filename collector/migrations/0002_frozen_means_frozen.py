"""What is frozen is frozen in the database: raw SQL cannot change a design or a stored report either."""

from django.db import migrations

SQLITE = """
CREATE TRIGGER design_is_frozen BEFORE UPDATE ON collector_frozendesign
WHEN NEW.digest IS NOT OLD.digest OR NEW.document IS NOT OLD.document OR NEW.opened_on IS NOT OLD.opened_on
BEGIN SELECT RAISE(ABORT, 'a frozen design cannot be changed'); END;

CREATE TRIGGER design_stays_closed BEFORE UPDATE ON collector_frozendesign
WHEN OLD.closed_on IS NOT NULL AND NEW.closed_on IS NOT OLD.closed_on
BEGIN SELECT RAISE(ABORT, 'a closed design cannot be opened again'); END;

CREATE TRIGGER open_design_stays BEFORE DELETE ON collector_frozendesign
WHEN OLD.closed_on IS NULL
BEGIN SELECT RAISE(ABORT, 'an open design cannot be deleted'); END;

CREATE TRIGGER report_is_frozen BEFORE UPDATE ON collector_report
WHEN NEW.nonce IS NOT OLD.nonce OR NEW.design_id IS NOT OLD.design_id
  OR NEW.stratum IS NOT OLD.stratum OR NEW.report IS NOT OLD.report
BEGIN SELECT RAISE(ABORT, 'a stored report cannot be changed'); END;
"""

REVERSE = """
DROP TRIGGER design_is_frozen;
DROP TRIGGER design_stays_closed;
DROP TRIGGER open_design_stays;
DROP TRIGGER report_is_frozen;
"""


class Migration(migrations.Migration):
    dependencies = [("collector", "0001_initial")]
    operations = [migrations.RunSQL(SQLITE, REVERSE)]
