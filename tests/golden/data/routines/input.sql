CREATE PROCEDURE [dbo].[OpenGate] @id int AS
BEGIN
  IF @id > 3
  BEGIN
    PRINT 'a;b';
  END
  SELECT CASE WHEN @id = 1 THEN 'x' ELSE 'y' END;
END
GO
DELIMITER //
CREATE TRIGGER gate_log BEFORE INSERT ON gates FOR EACH ROW
BEGIN
  IF NEW.level > 3 THEN
    SET NEW.state = 'high';
  END IF;
END//
DELIMITER ;
INSERT INTO gates VALUES (1, 'it\'s; open'), (2, 'shut');
CREATE PACKAGE BODY dock AS
  PROCEDURE shut IS
  BEGIN
    LOOP
      EXIT;
    END LOOP;
  END shut;
END dock;
/
