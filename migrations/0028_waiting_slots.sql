-- Since when the slot has waited for an account that can be used, of which its team had a notice; null: it does not wait.
ALTER TABLE pool_slots ADD COLUMN waiting_since INTEGER;
