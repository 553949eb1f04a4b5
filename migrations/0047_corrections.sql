-- JSON: the new texts of a published post, stored before the call that changes them at its platform, and gone once the
-- platform has confirmed or refused them.
ALTER TABLE uploads ADD COLUMN correction TEXT;
